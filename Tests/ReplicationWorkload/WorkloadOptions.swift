/// What a process of the tests does, as its arguments say: `kind=durable engine=redis port=6379 name=a`.
struct WorkloadOptions: Sendable {
    /// Which store the process has.
    enum Kind: String, Sendable {
        /// A replica; its effects run where their actions come from.
        case replica
        /// A replica of which one, the holder of the lease, runs the effects.
        case holder
        /// A durable store, or one that waits until the log is free.
        case durable
    }

    var kind = Kind.replica
    var engine = Engine.redis
    var port = 0
    /// Tells the process from all others of a test.
    var name = "replica"
    /// Whether an append waits for another server that has a copy.
    var awaitsStandby = false
    /// Whether the store goes on with what can be read.
    var acceptsLoss = false
    /// Whether actions ask for something to be done at a time.
    var hasReminders = true
    /// How long the server may take for an answer, in milliseconds.
    var timeout = 10_000
    /// For how long a durable store tries to write, in milliseconds.
    var retryLimit = 2_000
    /// How long a lease lasts, in milliseconds.
    var lease = 1_000

    init() {}

    /// - Returns: Nil if an argument is unknown, or something is missing.
    init?(_ arguments: some Sequence<String>) {
        for argument in arguments {
            let parts = argument.split(separator: "=", maxSplits: 1).map(String.init)
            guard parts.count == 2, set(parts[0], parts[1]) else { return nil }
        }
        if port == 0 { return nil }
    }

    private mutating func set(_ name: String, _ value: String) -> Bool {
        switch name {
        case "kind": Kind(rawValue: value).map { kind = $0 } != nil
        case "engine": Engine(rawValue: value).map { engine = $0 } != nil
        case "port": Int(value).map { port = $0 } != nil
        case "awaitsStandby": Bool(value).map { awaitsStandby = $0 } != nil
        case "acceptsLoss": Bool(value).map { acceptsLoss = $0 } != nil
        case "hasReminders": Bool(value).map { hasReminders = $0 } != nil
        case "timeout": Int(value).map { timeout = $0 } != nil
        case "retryLimit": Int(value).map { retryLimit = $0 } != nil
        case "lease": Int(value).map { lease = $0 } != nil
        case "name":
            ({
                self.name = value
                return true
            })()
        default: false
        }
    }

    /// The arguments by which a process has these.
    var arguments: [String] {
        [
            "kind=\(kind.rawValue)", "engine=\(engine.rawValue)", "port=\(port)", "name=\(name)",
            "awaitsStandby=\(awaitsStandby)", "acceptsLoss=\(acceptsLoss)", "hasReminders=\(hasReminders)",
            "timeout=\(timeout)", "retryLimit=\(retryLimit)", "lease=\(lease)",
        ]
    }
}
