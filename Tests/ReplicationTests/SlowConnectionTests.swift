import Foundation
import Testing

@testable import ReplicationWorkload

extension HistoryTests {
    /// Connections that are cut anywhere, that are slow, or that swallow everything without an error on either side.
    @Suite("Cut, slow and silent connections", .serialized)
    struct SlowConnectionTests {
        @Test(
            "Stores with failing connections have one history, with every acknowledged action once, in order",
            arguments: Engine.available,
            TestExtent.kinds(.durable)
        )
        func faults(engine: Engine, kind: WorkloadOptions.Kind) async throws {
            var generator = TestExtent.generator
            let server = try await TestServer(engine)
            try await server.start()
            try await server.waitUntilReady()
            let proxy = try FaultyProxy(to: server.port, seed: generator.next())
            var workers = WorkerProcesses(kind, engine, port: proxy.port)
            workers.options.timeout = 500
            try workers.start(kind == .durable ? 2 : 3)
            try await workers.waitForProgress()
            proxy.setFaulty(true)
            proxy.cutConnections()
            for _ in 0..<TestExtent.rounds(3) {
                try await Task.sleep(for: .milliseconds(Int.random(in: 50...400, using: &generator)))
                switch Int.random(in: 0..<4, using: &generator) {
                case 0: proxy.cutConnections()
                case 1:
                    // Half-open: all processes wait, without an error.
                    proxy.setHeld(true)
                    try await Task.sleep(for: .milliseconds(Int.random(in: 100...1_500, using: &generator)))
                    proxy.setHeld(false)
                default: break
                }
            }
            proxy.setFaulty(false)
            proxy.cutConnections()
            try await workers.waitForProgress()
            let history = try await workers.check(at: server.port)
            #expect(workers.stops == [:])
            TestExtent.tell("\(engine), \(kind), \(proxy.connections) connections with faults: \(history.summary)")
            proxy.end()
            try await server.end()
        }
    }
}
