#if Replication
    import ActorStore
    import ActorStorePersistence
    import Foundation

    /// Appends the actions of a replica to the stream, on a thread of its own. While one batch is on its way, the next
    /// one gathers.
    actor ReplicaWriter<State: Codable & Sendable, Action: Codable & Sendable> {
        private typealias Item = Outbox<Action, Replica<State, Action>.Waiter>.Item

        private static var batchLimit: Int { 512 }
        /// The server keeps all of a transaction until its end, and breaks a connection off that sends too much.
        private static var bytesPerTransaction: Int { 1 << 20 }
        /// What one value may have at most.
        private static var bytesPerAction: Int { 256 << 20 }

        nonisolated let thread = BlockingThread(named: "ActorStoreReplication.writer")
        nonisolated var unownedExecutor: UnownedSerialExecutor { thread.asUnownedSerialExecutor() }

        private var connection: RedisConnection?
        /// How many attempts have failed since the last success.
        private var failures = 0

        /// Appends until there is nothing left to do, or no connection.
        func writeAll(of replica: Replica<State, Action>) {
            while true {
                let batch = replica.take(atMost: Self.batchLimit)
                if batch.isEmpty { return }
                do {
                    try append(batch, replica)
                    failures = 0
                } catch {
                    return lose(error, replica)
                }
            }
        }

        private func append(_ batch: [Item], _ replica: Replica<State, Action>) throws(RedisFailure) {
            var commands: [RedisCommand] = []
            var size = 0
            for item in batch {
                let command = command(for: item, replica)
                commands.append(command)
                size += command.bytes.count
                guard size >= Self.bytesPerTransaction || item.number == batch.last?.number else { continue }
                try append(commands, replica)
                replica.noteAppended(through: item.number)
                commands = []
                size = 0
            }
        }

        private func command(for item: Item, _ replica: Replica<State, Action>) -> RedisCommand {
            var payload: Data?
            do throws(StateCodingError) {
                let encoded = try replica.coding.encode(item.action)
                guard encoded.count <= Self.bytesPerAction else {
                    throw StateCodingError.unencodable("It has \(encoded.count) bytes, more than a server takes.")
                }
                payload = encoded
            } catch {
                replica.noteUnencodable(item, error)
            }
            return .append(
                payload,
                number: item.number,
                lease: item.lease,
                origin: replica.origin,
                schema: replica.coding.version,
                to: replica.keys.stream
            )
        }

        /// Appends all of these or nothing: an action that the server refuses must not be passed by the next one.
        private func append(_ commands: [RedisCommand], _ replica: Replica<State, Action>) throws(RedisFailure) {
            let connection = try connect(replica)
            let isTransaction = commands.count > 1
            var bytes = isTransaction ? RedisCommand("MULTI").bytes : Data()
            for command in commands { bytes += command.bytes }
            if isTransaction { bytes += RedisCommand("EXEC").bytes }
            try connection.send(bytes)
            // The first refusal says why; the last one is only that the transaction was dropped.
            var refusal: RedisFailure?
            for _ in 0..<(isTransaction ? commands.count + 2 : 1) {
                do {
                    _ = try connection.receive()
                } catch {
                    if case .connection = error { throw error }
                    refusal = refusal ?? error
                }
            }
            if let refusal { throw refusal }
        }

        private func connect(_ replica: Replica<State, Action>) throws(RedisFailure) -> RedisConnection {
            if let connection { return connection }
            let made = try RedisConnection(replica.server)
            guard replica.watch(made.interruption, for: self) else { throw .connection("The replica has ended.") }
            connection = made
            return made
        }

        private func lose(_ failure: RedisFailure, _ replica: Replica<State, Action>) {
            connection = nil
            if case .refused = failure {
                return replica.end(replica.error(ReplicationError.Cause(failure)))
            }
            replica.noteWriterLost(failure)
            reconnectLater(replica)
        }

        private func reconnectLater(_ replica: Replica<State, Action>) {
            guard replica.failure == nil else { return }
            failures += 1
            thread.run(after: replica.configuration.reconnection.endlessWait(afterAttempt: failures)) { [self] in
                assumeIsolated { $0.reconnect(replica) }
            }
        }

        private func reconnect(_ replica: Replica<State, Action>) {
            guard replica.failure == nil else { return }
            do {
                _ = try connect(replica)
                replica.noteWriterBack()
            } catch {
                if case .refused = error { return replica.end(replica.error(ReplicationError.Cause(error))) }
                reconnectLater(replica)
            }
        }
    }

    extension RetryPolicy {
        /// The wait after an attempt, of which none is the last.
        func endlessWait(afterAttempt attempt: Int) -> Duration {
            var generator = SystemRandomNumberGenerator()
            let policy = RetryPolicy(maxAttempts: .max, backoff: backoff, jitter: jitter)
            return policy.wait(afterAttempt: attempt, using: &generator) ?? .zero
        }
    }
#endif
