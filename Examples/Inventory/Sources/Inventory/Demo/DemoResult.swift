/// What a demo has done, and what there is to be looked at.
struct DemoResult: Sendable {
    let engine: Engine
    let evidence: Evidence
    let kills: [Victim: Int]
    let seed: UInt64
    let elapsed: Duration
}
