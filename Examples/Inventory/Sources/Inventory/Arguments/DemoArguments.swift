/// The options of a demo.
struct DemoArguments: Equatable, Sendable {
    var engine: Engine
    var kills: Int
    var seed: UInt64

    init(_ options: Options) throws(ArgumentsError) {
        engine = try options.choice("--engine") ?? .redis
        kills = try options.number("--kills", in: 0...10_000) ?? 12
        seed = try options.number("--seed", in: 0...UInt64.max) ?? UInt64.random(in: 1...9_999)
    }
}
