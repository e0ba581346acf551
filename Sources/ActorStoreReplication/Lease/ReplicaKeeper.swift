#if Replication
    import ActorStore
    import ActorStorePersistence
    import Foundation

    /// Tells the server at intervals how far the replica is, and asks for the lease or renews it.
    actor ReplicaKeeper<State: Codable & Sendable, Action: Codable & Sendable> {
        private nonisolated let replica: Replica<State, Action>
        private nonisolated let server: RedisServer
        /// Cancels what the store has begun.
        private nonisolated let cancelEffects: @Sendable () async -> Void
        private nonisolated let interval: Duration
        private nonisolated let thread = BlockingThread(named: "ActorStoreReplication.keeper")
        nonisolated var unownedExecutor: UnownedSerialExecutor { thread.asUnownedSerialExecutor() }
        private var connection: RedisConnection?
        /// Whether somebody else has got the lease in the meantime.
        private var isLeaseLost = false

        init(_ replica: Replica<State, Action>, cancelEffects: @escaping @Sendable () async -> Void) {
            self.replica = replica
            self.cancelEffects = cancelEffects
            let patience: Duration =
                if case .behindSnapshots(let patience) = replica.configuration.trimming { patience } else {
                    .seconds(300)
                }
            // Often enough that one failed attempt does not cost the lease.
            let forLease = replica.configuration.effects.leaseDuration.map { $0 / 4 }
            interval = min(max(patience / 4, .milliseconds(50)), forLease ?? .seconds(30))
            var server = replica.server
            // A server that does not answer must not keep it from noticing that its time is over.
            server.timeout = min(server.timeout, max(interval, .milliseconds(50)))
            self.server = server
        }

        /// Goes on until the task is cancelled.
        func run() async {
            while !Task.isCancelled && replica.failure == nil {
                do {
                    try tick()
                } catch {
                    connection = nil
                    replica.noteProblem(replica.error(ReplicationError.Cause(error)))
                }
                // What was begun under a lease ends with it.
                if replica.expireLease() || isLeaseLost { await cancelEffects() }
                isLeaseLost = false
                try? await Task.sleep(for: interval)
            }
        }

        private func tick() throws(RedisFailure) {
            let connection = try connect()
            guard replica.watch(connection.interruption, for: self) else { return }
            if let duration = replica.configuration.effects.leaseDuration { try claim(for: duration, connection) }
            let position = replica.statistics.position
            try connection.perform(
                RedisCommand("EVAL", [Self.presence, "1", replica.keys.replicas, replica.origin, "\(position)"])
            )
        }

        private func connect() throws(RedisFailure) -> RedisConnection {
            if let connection { return connection }
            let made = try RedisConnection(server)
            connection = made
            return made
        }

        private func claim(for duration: Duration, _ connection: RedisConnection) throws(RedisFailure) {
            let moment = ContinuousClock.now
            let keys = replica.keys
            let answer = try connection.perform(
                RedisCommand(
                    "EVAL",
                    [Self.claim, "3", keys.stream, keys.lease, keys.token, replica.origin]
                        + ["\(Int(duration / .milliseconds(1)))"]
                )
            )
            if let token = answer.number, token > 0 {
                replica.noteLease(token, askedAt: moment)
            } else if replica.noteLeaseLost() {
                isLeaseLost = true
            }
        }

        /// Gives the lease back, and is no longer counted.
        func leave() {
            guard let connection = try? connect() else { return }
            let keys = replica.keys
            _ = try? connection.perform(RedisCommand("EVAL", [Self.release, "1", keys.lease, replica.origin]))
            _ = try? connection.perform(RedisCommand("HDEL", [keys.replicas, replica.origin]))
            self.connection = nil
        }

        private static var presence: String {
            "return redis.call('HSET', KEYS[1], ARGV[1], ARGV[2] .. ' ' .. redis.call('TIME')[1])"
        }

        /// A new lease begins with an entry of the stream, so that all replicas agree on what came before it.
        private static var claim: String {
            """
            local holder = redis.call('GET', KEYS[2])
            if holder == ARGV[1] then
              redis.call('PEXPIRE', KEYS[2], ARGV[2])
              return tonumber(redis.call('GET', KEYS[3]))
            end
            if holder then return 0 end
            redis.call('SET', KEYS[2], ARGV[1], 'PX', ARGV[2])
            local token = redis.call('INCR', KEYS[3])
            redis.call('XADD', KEYS[1], '*', 'origin', ARGV[1], 'lease', token)
            return token
            """
        }

        private static var release: String {
            "if redis.call('GET', KEYS[1]) == ARGV[1] then return redis.call('DEL', KEYS[1]) end"
        }
    }
#endif
