import Foundation
import Testing

@testable import ReplicationWorkload

extension HistoryTests {
    /// A primary that is killed under load, and a standby that takes over, at the address used by the processes.
    @Suite("Fail-over to a standby", .serialized)
    struct FailOverTests {
        /// A primary, its standby, and the proxy between all of them.
        private struct Pair {
            var primary: TestServer
            var standby: TestServer
            /// The standby's connection to the primary.
            var replication: FaultyProxy

            init(_ engine: Engine, isAwaited: Bool) async throws {
                primary = try await TestServer(engine)
                try await primary.start()
                try await primary.waitUntilReady()
                if isAwaited { try await primary.awaitStandby() }
                (standby, replication) = try await Self.makeStandby(of: primary)
                try await primary.waitUntilStandbyIsAwaited()
            }

            static func makeStandby(of primary: TestServer) async throws -> (TestServer, FaultyProxy) {
                let replication = try FaultyProxy(to: primary.port)
                let standby = try await TestServer(primary.engine, standbyAt: replication.port)
                try await standby.start()
                return (standby, replication)
            }

            /// The standby becomes the primary, and gets a standby.
            ///
            /// - Parameter takeOver: Called just before others reach the new primary.
            mutating func failOver(_ address: FaultyProxy, takeOver: () -> Void = {}) async throws {
                try await standby.promote()
                takeOver()
                address.target = standby.port
                address.cutConnections()
                try await primary.end()
                replication.end()
                primary = standby
                (standby, replication) = try await Self.makeStandby(of: primary)
            }

            func end() async throws {
                try await standby.end()
                try await primary.end()
                replication.end()
            }
        }

        @Test(
            "An acknowledging standby has all acknowledged actions when it takes over",
            arguments: Engine.available,
            TestExtent.kinds(.holder)
        )
        func awaited(engine: Engine, kind: WorkloadOptions.Kind) async throws {
            var generator = TestExtent.generator
            var pair = try await Pair(engine, isAwaited: true)
            let address = try FaultyProxy(to: pair.primary.port)
            var workers = WorkerProcesses(kind, engine, port: address.port)
            (workers.options.awaitsStandby, workers.options.timeout) = (true, 2_000)
            try workers.start(kind == .durable ? 2 : 3)
            for _ in 0..<TestExtent.rounds(1, weight: 10) {
                try await workers.waitForProgress()
                try await Task.sleep(for: .milliseconds(Int.random(in: 1...300, using: &generator)))
                try await pair.primary.kill()
                try await pair.failOver(address)
            }
            try await workers.waitForProgress()
            let history = try await workers.check(at: address.port)
            #expect(workers.stops == [:])
            TestExtent.tell("\(engine), \(kind), awaited: \(history.summary)")
            address.end()
            try await pair.end()
        }

        @Test(
            "Busy stores stop with the documented error when a lagging standby takes over",
            arguments: Engine.available,
            TestExtent.kinds(.durable)
        )
        func lagging(engine: Engine, kind: WorkloadOptions.Kind) async throws {
            var generator = TestExtent.generator
            var pair = try await Pair(engine, isAwaited: false)
            let address = try FaultyProxy(to: pair.primary.port)
            var workers = WorkerProcesses(kind, engine, port: address.port)
            (workers.options.timeout, workers.options.retryLimit) = (2_000, 30_000)
            for _ in 0..<TestExtent.rounds(1, weight: 10) {
                try workers.start(kind == .durable ? 2 : 3)
                try await workers.waitForProgress()
                let mark = now()
                try await pair.primary.waitUntilCopied(by: pair.standby)
                pair.replication.setHeld(true)
                try await Task.sleep(for: .milliseconds(Int.random(in: 1...300, using: &generator)))
                try await workers.waitForProgress()
                let kill = now()
                try await pair.primary.kill()
                try await pair.failOver(address) {
                    workers.losses.append(History.Loss(mark: mark, kill: kill, restart: now()))
                }
                try await workers.waitForLoss(isCertain: true)
                try await workers.killAll()
            }
            try workers.start(2)
            try await workers.waitForProgress()
            let history = try await workers.check(at: address.port)
            #expect(Set(workers.stops.keys).isSubset(of: ["stopped lostEntries"]), "\(workers.stops)")
            #expect(!workers.stops.isEmpty)
            TestExtent.tell("\(engine), \(kind), lagging: \(workers.stops), \(history.summary)")
            address.end()
            try await pair.end()
        }
    }
}
