#if Replication
    import ActorStore
    import ActorStorePersistence
    import Foundation

    /// Puts snapshots on the server and trims the stream behind them, on a thread of its own, so that a large one holds
    /// nobody up.
    actor SnapshotWriter<State: Codable & Sendable> {
        private nonisolated let server: RedisServer
        private nonisolated let keys: StreamKeys
        private nonisolated let coding: StateCoding
        private nonisolated let trimming: StreamTrimming
        private nonisolated let thread = BlockingThread(named: "ActorStoreReplication.snapshots")
        nonisolated var unownedExecutor: UnownedSerialExecutor { thread.asUnownedSerialExecutor() }
        /// The newest one that waits for its turn: those before it need not be written.
        private nonisolated let waiting = LockedValue<ReplicaState<State>?>(nil)

        init(_ server: RedisServer, _ keys: StreamKeys, _ coding: StateCoding, _ trimming: StreamTrimming) {
            self.server = server
            self.keys = keys
            self.coding = coding
            self.trimming = trimming
        }

        /// Has a snapshot written some time. In the turn.
        nonisolated func submit(
            _ snapshot: ReplicaState<State>,
            onFailure report: @escaping @Sendable (ReplicationError) -> Void
        ) {
            let replaced = waiting.withLock { waiting in
                defer { waiting = snapshot }
                return waiting
            }
            guard replaced == nil else { return }
            thread.run { [self] in
                let snapshot = waiting.withLock { waiting in
                    defer { waiting = nil }
                    return waiting
                }
                guard let snapshot else { return }
                assumeIsolated { writer in
                    do throws(ReplicationError) {
                        try writer.write(snapshot)
                    } catch {
                        report(error)
                    }
                }
            }
        }

        /// Puts a snapshot on the server, unless there is a newer one.
        func write(_ snapshot: ReplicaState<State>) throws(ReplicationError) {
            let fields: [Data]
            do {
                fields = try SharedSnapshot.fields(of: snapshot, coding)
            } catch {
                throw ReplicationError(keys.stream, at: snapshot.log.position, ReplicationError.Cause(error))
            }
            let patience: Int =
                if case .behindSnapshots(let patience) = trimming { max(patience.wholeMilliseconds / 1_000, 1) } else {
                    0
                }
            let names = [keys.stream, keys.snapshot, keys.previousSnapshot, keys.replicas, keys.nextSnapshot]
            let words = ([Self.script, "\(names.count)"] + names + ["\(patience)"]).map { Data($0.utf8) } + fields
            let answer: RedisReply
            do {
                answer = try RedisConnection(server).perform(RedisCommand("EVAL", words))
            } catch {
                throw ReplicationError(keys.stream, at: snapshot.log.position, ReplicationError.Cause(error))
            }
            if answer == .integer(-1) { throw ReplicationError(keys.stream, at: snapshot.log.position, .lostEnd) }
        }

        /// Refuses a snapshot of a place that the stream does not have, which would be of a past that was lost. Keeps
        /// the present snapshot as the one before, and deletes what no replica and neither snapshot needs. The entry at
        /// the place of a snapshot stays, which tells that nothing after it is missing.
        private static var script: String {
            """
            if #redis.call('XRANGE', KEYS[1], ARGV[3], ARGV[3]) == 0 then return -1 end
            local revision = redis.call('HGET', KEYS[2], 'revision')
            if revision and tonumber(revision) >= tonumber(ARGV[5]) then return 0 end
            redis.call('DEL', KEYS[5])
            redis.call('HSET', KEYS[5], unpack(ARGV, 2))
            if revision then redis.call('RENAME', KEYS[2], KEYS[3]) end
            redis.call('RENAME', KEYS[5], KEYS[2])
            local patience = tonumber(ARGV[1])
            local least = redis.call('HGET', KEYS[3], 'position')
            if patience == 0 or not least then return 1 end
            local function parts(position)
              local first, second = string.match(position, '^(%d+)-(%d+)$')
              return tonumber(first), tonumber(second)
            end
            local now = tonumber(redis.call('TIME')[1])
            local replicas = redis.call('HGETALL', KEYS[4])
            for index = 1, #replicas, 2 do
              local position, seen = string.match(replicas[index + 1], '^(%d+-%d+) (%d+)$')
              if not position or now - tonumber(seen) > patience then
                redis.call('HDEL', KEYS[4], replicas[index])
              else
                local first, second = parts(position)
                local leastFirst, leastSecond = parts(least)
                if first < leastFirst or (first == leastFirst and second < leastSecond) then least = position end
              end
            end
            redis.call('XTRIM', KEYS[1], 'MINID', least)
            return 1
            """
        }
    }
#endif
