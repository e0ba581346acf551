import Foundation
import Testing

@testable import ReplicationWorkload

extension HistoryTests {
    /// A server that comes back without the newest acknowledged data under load: its file is truncated, or a copy of
    /// its data is restored.
    @Suite("Servers that lose their end", .serialized)
    struct LostTailTests {
        @Test(
            "Busy stores whose server lost its end stop with the documented error, and reopened ones continue",
            arguments: Engine.available,
            TestExtent.kinds(.holder, .durable)
        )
        func losses(engine: Engine, kind: WorkloadOptions.Kind) async throws {
            var generator = TestExtent.generator
            let server = try await TestServer(engine)
            try await server.start()
            var workers = WorkerProcesses(kind, engine, port: server.port)
            // A durable store that ends because its server is away for long does not detect a loss.
            workers.options.retryLimit = 30_000
            let rounds = TestExtent.rounds(1, weight: 10)
            // On a busy machine sometimes nothing is lost, because nothing was written after the copy.
            for round in 0..<rounds + 4 where round < rounds || workers.stops.isEmpty {
                // All processes begin anew.
                try workers.start(kind == .durable ? 2 : 3)
                try await workers.waitForProgress()
                let copy = try await server.copy()
                try await Task.sleep(for: .milliseconds(Int.random(in: 1...300, using: &generator)))
                // So that something is lost.
                try await workers.waitForProgress()
                let kill = now()
                try await server.kill()
                try await server.restore(copy, keeping: round.isMultiple(of: 2) ? 0 : Double.random(in: 0...0.9))
                workers.losses.append(History.Loss(mark: copy.moment, kill: kill, restart: now()))
                try await server.start()
                try await workers.waitForLoss()
                try await workers.killAll()
                if round % 3 == 1 { try await workers.acceptLoss(at: server.port) }
            }
            try workers.start(2)
            try await workers.waitForProgress()
            let history = try await workers.check(at: server.port)
            #expect(Set(workers.stops.keys).isSubset(of: ["stopped lostEntries"]), "\(workers.stops)")
            #expect(!workers.stops.isEmpty)
            TestExtent.tell("\(engine), \(kind): \(workers.stops), \(history.summary)")
            try await server.end()
        }
    }
}

extension WorkerProcesses {
    /// Waits until each process has stopped, or has an acknowledged action that was begun after the server was back. Of
    /// durable stores the one that had the log stops, and another one may have it then.
    ///
    /// - Parameter isCertain: Whether acknowledged actions of the durable store were lost, so that it stops, also after
    ///   another one has got the log.
    func waitForLoss(isCertain: Bool = false) async throws {
        guard let restart = losses.last?.restart else { return }
        let end = ContinuousClock.now + .seconds(60)
        func isOver(_ process: ChildProcess) -> Bool {
            process.isOver || !(isCertain && options.kind == .durable) && process.hasProgress(since: restart)
        }
        while options.kind == .durable ? !running.contains(where: isOver) : !running.allSatisfy(isOver) {
            try #require(
                ContinuousClock.now < end,
                "A process neither stops nor continues: \(running.map { $0.lines.suffix(2) })"
            )
            try await Task.sleep(for: .milliseconds(10))
        }
    }

    /// Opens one store, without another one, that continues with the readable entries.
    func acceptLoss(at port: Int) async throws {
        var options = options
        (options.name, options.port, options.acceptsLoss) = ("accepting", port, true)
        let store = try await options.open()
        #expect(store.problems.isEmpty)
        await store.end()
    }
}

extension ChildProcess {
    /// Whether an action was begun after a moment, and acknowledged.
    func hasProgress(since moment: UInt64) -> Bool {
        var begun: Set<Substring> = []
        for line in lines {
            let words = line.split(separator: " ")
            guard words.count >= 4, let time = UInt64(words[1]), time > moment else { continue }
            if words[0] == "begin" { begun.insert(words[2]) }
            if words[0] == "end", begun.contains(words[2]) { return true }
        }
        return false
    }
}
