import ActorStore
import ActorStorePersistence
import ActorStoreSimulation
import Foundation
import Testing

@testable import ReplicationWorkload

/// Three processes with replicas that dispatch from four tasks each, while at random moments one of them is killed, or the
/// server is, or connections are cut.
///
/// `KILLS` in the environment says how often, for all engines together, `SEED` at which moments.
@Suite("Replicas of processes that are killed", .serialized, .timeLimit(.minutes(60)))
struct ReplicaKillTests {
    private enum Blow: CaseIterable { case replica, server, connections }

    private static var number: (kills: Int, isChosen: Bool) {
        let chosen = ProcessInfo.processInfo.environment["KILLS"].flatMap { Int($0) }
        return ((chosen ?? 20) / max(Engine.available.count, 1), chosen != nil)
    }

    @Test(
        "All replicas end with the same state, and every acknowledged action is in it once, in order",
        arguments: Engine.available
    )
    func kills(engine: Engine) async throws {
        let seed = ProcessInfo.processInfo.environment["SEED"].flatMap { UInt64($0) } ?? 1
        var generator = SimulationGenerator(seed: seed)
        let server = try await TestServer(engine)
        try await server.start()
        var names = 0
        func start() throws -> ChildProcess {
            names += 1
            return try ChildProcess.replica(of: server, name: "replica\(names)")
        }
        var workers = try [start(), start(), start()]
        for worker in workers { _ = try await worker.wait(for: "ack") }
        var dead: [ChildProcess] = []
        var blows: [Blow: Int] = [:]
        for _ in 0..<Self.number.kills {
            // It is the moment that is random, so there is nothing else to wait for.
            try await Task.sleep(for: .milliseconds(Int.random(in: 1...150, using: &generator)))
            let blow = Blow.allCases.randomElement(using: &generator) ?? .replica
            blows[blow, default: 0] += 1
            switch blow {
            case .replica:
                let index = Int.random(in: 0..<3, using: &generator)
                try await workers[index].kill()
                dead.append(workers[index])
                workers[index] = try start()
            case .server:
                try await server.kill()
                try await Task.sleep(for: .milliseconds(Int.random(in: 0...100, using: &generator)))
                try await server.start()
            case .connections: try await server.cutConnections()
            }
        }
        for worker in workers { _ = try await worker.wait(for: "ack") }
        for worker in workers { try worker.tell("finish") }
        for worker in workers { _ = try await worker.wait(for: "idle") }
        try await check(server, workers, dead, blows)
        try await server.end()
    }

    private func check(
        _ server: TestServer,
        _ workers: [ChildProcess],
        _ dead: [ChildProcess],
        _ blows: [Blow: Int]
    ) async throws {
        let log = try #require(server.engine.log(port: server.port))
        let fresh = try await Tally.join(through: log, name: "fresh")
        let state = fresh.snapshot
        let expected = "state \(fresh.revision) \(try state.text)"
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
                // A task has at most one action on its way of which it does not know yet.
                #expect((number...number + 1).contains(found), "\(writer)")
            }
        }
        #expect(acknowledged > 0)
        #expect(fresh.statistics.failure == nil)
        if Self.number.isChosen {
            print(
                """
                \(server.engine): \(blows[.replica] ?? 0) kills of replicas, \(blows[.server] ?? 0) of the server, \
                \(blows[.connections] ?? 0) times all connections cut: \(acknowledged) acknowledged actions, \
                \(fresh.statistics.entries) entries left
                """
            )
        }
        await fresh.shutdown(drain: .finishEffects)
    }
}
