/// The result of a demo, and the input of its audit.
struct DemoResult: Sendable {
    let engine: Engine
    let evidence: Evidence
    let kills: [Victim: Int]
    let seed: UInt64
    let elapsed: Duration
}
