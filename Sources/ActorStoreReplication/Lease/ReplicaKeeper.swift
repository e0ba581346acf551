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
        /// Whether a lease that this replica has by the server's account is of no use to it, because what was begun
        /// under it has been given up: the next one has to be a new one.
        private var needsNewLease = true

        init(_ replica: Replica<State, Action>, cancelEffects: @escaping @Sendable () async -> Void) {
            self.replica = replica
            self.cancelEffects = cancelEffects
            let patience: Duration =
                if case .behindSnapshots(let patience) = replica.configuration.trimming { patience } else {
                    .seconds(300)
                }
            // Often enough that one failed attempt does not cost the lease.
            let forLease = replica.configuration.effects.leaseDuration.map { $0 / 4 }
            interval = min(max(patience / 4, .milliseconds(50)), forLease ?? .seconds(30), .seconds(30))
            var server = replica.server
            // A server that does not answer must not keep it from noticing that its time is over.
            server.timeout = min(server.timeout, max(interval, .milliseconds(50)))
            self.server = server
        }

        /// Goes on until the replica ends; then it gives the lease back, and is no longer counted.
        func run() async {
            while !Task.isCancelled && replica.failure == nil {
                do {
                    try await tick()
                } catch {
                    connection = nil
                    replica.noteProblem(replica.error(ReplicationError.Cause(error)))
                }
                await giveUpIfExpired()
                try? await Task.sleep(for: interval)
            }
            if replica.configuration.effects.leaseDuration != nil { await cancelEffects() }
            leave()
        }

        /// What was begun under a lease ends with it.
        private func giveUpIfExpired() async {
            guard replica.expireLease() else { return }
            needsNewLease = true
            await cancelEffects()
        }

        private func tick() async throws(RedisFailure) {
            let connection = try connect()
            guard replica.watch(connection.interruption, for: self) else { return }
            if let duration = replica.configuration.effects.leaseDuration {
                try await claim(for: duration, connection)
            }
            let position = replica.log.position
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

        private func claim(for duration: Duration, _ connection: RedisConnection) async throws(RedisFailure) {
            await giveUpIfExpired()
            let moment = ContinuousClock.now
            let keys = replica.keys
            let known = replica.log.lease?.token ?? 0
            let words = [replica.origin, "\(duration.wholeMilliseconds)", needsNewLease ? "1" : "0", "\(known)"]
            let answer = try connection.perform(
                RedisCommand("EVAL", [Self.claim, "3", keys.stream, keys.lease, keys.token] + words)
            )
            if let token = answer.number, token > 0 {
                if replica.noteLease(token, askedAt: moment) { needsNewLease = false } else { await giveUpIfExpired() }
            } else if replica.noteLeaseLost() {
                needsNewLease = true
                await cancelEffects()
            }
        }

        /// By a connection of its own, because at the end the others are interrupted.
        private func leave() {
            connection = nil
            var server = server
            server.timeout = min(server.timeout, .seconds(1))
            guard let connection = try? RedisConnection(server) else { return }
            let keys = replica.keys
            _ = try? connection.perform(RedisCommand("EVAL", [Self.release, "1", keys.lease, replica.origin]))
            _ = try? connection.perform(RedisCommand("HDEL", [keys.replicas, replica.origin]))
        }

        private static var presence: String {
            "return redis.call('HSET', KEYS[1], ARGV[1], ARGV[2] .. ' ' .. redis.call('TIME')[1])"
        }

        /// A new lease begins with an entry of the stream, so that all replicas agree on what came before it.
        private static var claim: String {
            """
            local holder = redis.call('GET', KEYS[2])
            if holder and holder ~= ARGV[1] then return 0 end
            local token = tonumber(redis.call('GET', KEYS[3]) or '0')
            if holder and ARGV[3] == '0' and token > 0 then
              redis.call('PEXPIRE', KEYS[2], ARGV[2])
              return token
            end
            token = math.max(token, tonumber(ARGV[4])) + 1
            redis.call('XADD', KEYS[1], '*', 'origin', ARGV[1], 'lease', token)
            redis.call('SET', KEYS[3], token)
            redis.call('SET', KEYS[2], ARGV[1], 'PX', ARGV[2])
            return token
            """
        }

        private static var release: String {
            "if redis.call('GET', KEYS[1]) == ARGV[1] then return redis.call('DEL', KEYS[1]) end"
        }
    }
#endif
