/// The options of a test process, from its arguments: `kind=durable engine=redis port=6379 name=a`.
struct WorkloadOptions: Sendable {
    /// The store of the process.
    enum Kind: String, Sendable {
        /// A replica; its effects run on the replica of their actions.
        case replica
        /// A replica; the holder of the lease runs the effects.
        case holder
        /// A durable store, or one that waits until the log is free.
        case durable
    }

    var kind = Kind.replica
    var engine = Engine.redis
    var port = 0
    /// The identity of the process in a test.
    var name = "replica"
    /// Whether an append waits for another server with a copy.
    var awaitsStandby = false
    /// Whether the store continues with the readable entries.
    var acceptsLoss = false
    /// Whether actions owe an operation at a time.
    var hasReminders = true
    /// The server's time for a response, in milliseconds.
    var timeout = 10_000
    /// The time for which a durable store retries writes, in milliseconds.
    var retryLimit = 2_000
    /// The duration of a lease, in milliseconds.
    var lease = 1_000

    init() {}

    /// - Returns: Nil if an argument is unknown or missing.
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

    /// The arguments of a process with these options.
    var arguments: [String] {
        [
            "kind=\(kind.rawValue)", "engine=\(engine.rawValue)", "port=\(port)", "name=\(name)",
            "awaitsStandby=\(awaitsStandby)", "acceptsLoss=\(acceptsLoss)", "hasReminders=\(hasReminders)",
            "timeout=\(timeout)", "retryLimit=\(retryLimit)", "lease=\(lease)",
        ]
    }
}
