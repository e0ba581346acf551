/// The options of a desk.
struct DeskArguments: Equatable, Sendable {
    let name: String
    let log: String
    let engine: Engine
    let port: Int
    let seed: UInt64

    init(_ options: Options) throws(ArgumentsError) {
        name = try options.text("--name")
        guard name.allSatisfy({ $0.isASCII && ($0.isLetter || $0.isNumber) }) else { throw .invalid("--name", name) }
        log = try options.text("--log")
        engine = try options.choice("--engine") ?? .redis
        guard let port = try options.number("--port", in: 1...65_535) else { throw .missing("--port") }
        self.port = port
        seed = try options.number("--seed", in: 0...UInt64.max) ?? 1
    }
}
