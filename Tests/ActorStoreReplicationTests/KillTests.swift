#if Replication
    import ActorStore
    @testable import ActorStoreReplication
    import ActorStoreSimulation
    import Foundation
    @testable import ReplicationWorkload
    import Testing

    /// Three processes with replicas that dispatch from four tasks each, while at random moments one of them is killed,
    /// or the server is, or connections are cut.
    ///
    /// `KILLS` in the environment says how often, `SEED` at which moments.
    @Suite("Replicas of processes that are killed", .timeLimit(.minutes(60)))
    struct KillTests {
        private enum Blow: CaseIterable { case replica, server, connections }

        @Test("All replicas end with the same state, and every acknowledged action is in it once, in order")
        func kills() async throws {
            let environment = ProcessInfo.processInfo.environment
            let kills = environment["KILLS"].flatMap { Int($0) } ?? 20
            var generator = SimulationGenerator(seed: environment["SEED"].flatMap { UInt64($0) } ?? 1)
            let redis = try RedisProcess()
            var names = 0
            func start() throws -> ReplicaWorker {
                names += 1
                return try ReplicaWorker(redis, "tally", name: "replica\(names)")
            }
            var workers = try [start(), start(), start()]
            var dead: [ReplicaWorker] = []
            var blows: [Blow: Int] = [:]
            for _ in 0..<kills {
                // It is the moment that is random, so there is nothing else to wait for.
                try await Task.sleep(for: .milliseconds(Int.random(in: 1...150, using: &generator)))
                let blow = Blow.allCases.randomElement(using: &generator) ?? .replica
                blows[blow, default: 0] += 1
                switch blow {
                case .replica:
                    let index = Int.random(in: 0..<3, using: &generator)
                    await workers[index].kill()
                    dead.append(workers[index])
                    workers[index] = try start()
                case .server:
                    redis.kill()
                    try await Task.sleep(for: .milliseconds(Int.random(in: 0...100, using: &generator)))
                    try redis.start()
                case .connections: try redis.cutConnections()
                }
            }
            // One that was started while there was no server has ended; another takes its place.
            for index in workers.indices where await !workers[index].hasJoined {
                dead.append(workers[index])
                workers[index] = try start()
                _ = try await workers[index].wait(for: "joined")
            }
            for worker in workers { try worker.tell("finish") }
            for worker in workers { _ = try await worker.wait(for: "idle") }
            try await check(redis, workers, dead, blows)
        }

        private func check(
            _ redis: RedisProcess,
            _ workers: [ReplicaWorker],
            _ dead: [ReplicaWorker],
            _ blows: [Blow: Int]
        ) async throws {
            let fresh = try await Store.replicated(
                through: redis.server,
                stream: "tally",
                initialState: Tally.State(),
                reducer: Tally()
            )
            let state = fresh.snapshot
            let encoder = JSONEncoder()
            encoder.outputFormatting = .sortedKeys
            let expected = "state \(fresh.revision) \(String(decoding: try encoder.encode(state), as: UTF8.self))"
            for worker in workers {
                try worker.tell("report \(fresh.statistics.position)")
                #expect(try await worker.wait(for: "state") == expected)
            }
            #expect(state.disordered == 0)
            #expect(fresh.revision == UInt64(state.newest.values.reduce(0, +)))
            var acknowledged = 0
            for worker in workers + dead {
                for (writer, number) in worker.acknowledged {
                    acknowledged += number
                    let found = state.newest[writer] ?? 0
                    // A task has at most one action on its way that it was not told about.
                    #expect((number...number + 1).contains(found), "\(writer)")
                }
            }
            #expect(acknowledged > 0)
            let (duplicates, gap) = (fresh.statistics.duplicates, fresh.statistics.failure)
            #expect(gap == nil)
            if ProcessInfo.processInfo.environment["KILLS"] != nil {
                print(
                    """
                    \(blows[.replica] ?? 0) kills of replicas, \(blows[.server] ?? 0) of the server, \
                    \(blows[.connections] ?? 0) times all connections cut: \(acknowledged) acknowledged actions, \
                    \(duplicates) appended twice and reduced once, \(try redis.streamLength("tally")) entries left
                    """
                )
            }
            try await fresh.shutdown(drain: .finishEffects)
        }
    }
#endif
