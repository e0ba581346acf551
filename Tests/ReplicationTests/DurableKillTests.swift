import Foundation
import Testing

@testable import ReplicationWorkload

extension HistoryTests {
    /// A durable store on a server, and another process that waits for its log, while at random moments one of them is
    /// killed or suspended, or the server is killed, or connections are cut.
    @Suite("Kills of durable stores and their servers", .serialized)
    struct DurableKillTests {
        private enum Blow: CaseIterable { case server, otherServer, store, pause, connections }

        @Test(
            "Durable stores killed with their server have one history, with every acknowledged action once, in order",
            arguments: Engine.available
        )
        func kills(engine: Engine) async throws {
            var generator = TestExtent.generator
            let server = try await TestServer(engine)
            try await server.start()
            var workers = WorkerProcesses(.durable, engine, port: server.port)
            workers.options.lease = 400
            try workers.start(2)
            try await workers.waitForProgress()
            var blows: [Blow: Int] = [:]
            for _ in 0..<TestExtent.rounds(4) {
                // The random moment itself: there is no event to wait for.
                try await Task.sleep(for: .milliseconds(Int.random(in: 1...150, using: &generator)))
                let blow = Blow.allCases.randomElement(using: &generator) ?? .store
                blows[blow, default: 0] += 1
                let index = Int.random(in: 0..<2, using: &generator)
                switch blow {
                case .store: try await workers.replace(index)
                case .pause:
                    // For longer than its lease lasts, so that the other one takes over.
                    workers.running[index].pause()
                    try await Task.sleep(for: .milliseconds(Int.random(in: 100...900, using: &generator)))
                    workers.running[index].resume()
                case .server, .otherServer:
                    try await server.kill()
                    // Occasionally for longer than a store retries.
                    let isLong = Int.random(in: 0..<6, using: &generator) == 0
                    let pause = isLong ? 2_500 : Int.random(in: 0...100, using: &generator)
                    try await Task.sleep(for: .milliseconds(pause))
                    try await server.start()
                case .connections: try await server.cutConnections()
                }
                // Faults that hit no working process prove nothing.
                try await workers.waitForProgress()
            }
            let history = try await workers.check(at: server.port)
            #expect(workers.stops == [:])
            TestExtent.tell(
                """
                \(engine), durable: \(blows[.store] ?? 0) kills of stores, \
                \((blows[.server] ?? 0) + (blows[.otherServer] ?? 0)) of the server, \(blows[.pause] ?? 0) times one stood \
                still, \(blows[.connections] ?? 0) times all connections cut: \(history.summary)
                """
            )
            try await server.end()
        }
    }
}
