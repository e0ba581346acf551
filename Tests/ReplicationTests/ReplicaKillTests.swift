import Foundation
import Testing

@testable import ReplicationWorkload

extension HistoryTests {
    /// Three processes that dispatch and read from several tasks each, while at random moments one of them is killed,
    /// or the server is, or connections are cut.
    @Suite("Kills of replicas and their servers", .serialized)
    struct ReplicaKillTests {
        private enum Blow: CaseIterable { case replica, server, connections }

        @Test(
            "Replicas killed with their server have one history, with every acknowledged action once, in order",
            arguments: Engine.available,
            TestExtent.kinds(.holder).filter { $0 != .durable }
        )
        func kills(engine: Engine, kind: WorkloadOptions.Kind) async throws {
            var generator = TestExtent.generator
            let server = try await TestServer(engine)
            try await server.start()
            var workers = WorkerProcesses(kind, engine, port: server.port)
            try workers.start(3)
            try await workers.waitForProgress()
            var blows: [Blow: Int] = [:]
            for _ in 0..<TestExtent.rounds(3) {
                // The random moment itself: there is no event to wait for.
                try await Task.sleep(for: .milliseconds(Int.random(in: 1...150, using: &generator)))
                let blow = Blow.allCases.randomElement(using: &generator) ?? .replica
                blows[blow, default: 0] += 1
                switch blow {
                case .replica: try await workers.replace(Int.random(in: 0..<3, using: &generator))
                case .server:
                    try await server.kill()
                    try await Task.sleep(for: .milliseconds(Int.random(in: 0...100, using: &generator)))
                    try await server.start()
                case .connections: try await server.cutConnections()
                }
            }
            try await workers.waitForProgress()
            let history = try await workers.check(at: server.port)
            #expect(workers.stops == [:])
            TestExtent.tell(
                """
                \(engine), \(kind): \(blows[.replica] ?? 0) kills of replicas, \(blows[.server] ?? 0) of the server, \
                \(blows[.connections] ?? 0) times all connections cut: \(history.summary)
                """
            )
            try await server.end()
        }
    }
}

extension History {
    /// The figures of a run.
    var summary: String {
        let repeats = done.values.reduce(0) { $0 + $1 - 1 }
        return """
            \(acknowledged) acknowledged actions of \(dispatches.count), \(reads.count) reads, \(done.count) things owed and \
            done, \(repeats) of them again, \(holders.count) leases, \(losses.count) losses
            """
    }
}
