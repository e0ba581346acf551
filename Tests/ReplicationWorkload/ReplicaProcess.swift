#if Replication
    import ActorStore
    import ActorStoreReplication
    import Foundation
    import Synchronization

    /// A replica that dispatches until it is told to stop, and says what it has got done.
    struct ReplicaProcess {
        let port: Int
        let stream: String
        let name: String
        private static let tasks = 4

        func run() async throws {
            let replication = ReplicationConfiguration(
                name: name,
                snapshotInterval: 200,
                trimming: .behindSnapshots(patience: .seconds(2))
            )
            let store = try await Store.replicated(
                through: RedisServer(address: .host("127.0.0.1", port: port), timeout: .seconds(2)),
                stream: stream,
                initialState: Tally.State(),
                reducer: Tally(),
                replication: replication
            )
            say("joined \(store.revision)")
            let isFinishing = Mark()
            async let orders: Void = obey(store, isFinishing)
            try await withThrowingTaskGroup(of: Void.self) { group in
                for task in 0..<Self.tasks {
                    group.addTask {
                        let writer = "\(store.origin)/\(task)"
                        for number in 1... {
                            if isFinishing.isSet { return }
                            try await store.dispatch(Tally.Action(writer: writer, number: number))
                            say("ack \(writer) \(number)")
                        }
                    }
                }
                try await group.waitForAll()
            }
            say("idle")
            try await orders
        }

        private func obey(_ store: ReplicatedStore<Tally.State, Tally.Action>, _ isFinishing: Mark) async throws {
            for await line in Self.lines() {
                let words = line.split(separator: " ")
                switch words.first {
                case "finish": isFinishing.set()
                case "report":
                    let position = String(words[1])
                    while store.statistics.position.description != position {
                        try await Task.sleep(for: .milliseconds(2))
                    }
                    let encoder = JSONEncoder()
                    encoder.outputFormatting = .sortedKeys
                    let state = String(decoding: try encoder.encode(store.snapshot), as: UTF8.self)
                    say("state \(store.revision) \(state)")
                default: return
                }
            }
        }
    }

    extension ReplicaProcess {
        /// What comes by the standard input, line by line, read on a thread that may wait for it.
        fileprivate static func lines() -> AsyncStream<String> {
            AsyncStream { continuation in
                Thread.detachNewThread {
                    while let line = readLine() { continuation.yield(line) }
                    continuation.finish()
                }
            }
        }
    }

    /// Prints a line by one call, so that it is there whole or not at all.
    func say(_ text: String) {
        let line = Array("\(text)\n".utf8)
        _ = write(1, line, line.count)
    }

    /// Whether something has happened.
    final class Mark: Sendable {
        private let value = Atomic(false)

        var isSet: Bool { value.load(ordering: .acquiring) }
        func set() { value.store(true, ordering: .releasing) }
    }
#endif
