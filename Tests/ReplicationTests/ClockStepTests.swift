import ActorStoreSimulation
import Foundation
import Testing

@testable import ReplicationWorkload

#if os(Linux)
    extension HistoryTests {
        /// A server and processes whose wall clocks are set forward and back independently, while processes are killed.
        @Suite("Replicas with clock steps", .serialized)
        struct ClockStepTests {
            /// Up to seconds, minutes, or days.
            private static func step(using generator: inout SimulationGenerator) -> Int64 {
                let most: Int64 = [2_000, 120_000, 200_000_000].randomElement(using: &generator) ?? 2_000
                return Int64.random(in: -most...most, using: &generator)
            }

            @Test(
                "No two replicas have a lease with one token, and no acknowledged action is lost, under any clock steps",
                arguments: Engine.available,
                [WorkloadOptions.Kind.holder, .durable]
            )
            func steps(engine: Engine, kind: WorkloadOptions.Kind) async throws {
                var generator = TestExtent.generator
                let library = try await SteppedClock.makeLibrary()
                defer { unlink(library) }
                let clocks = try (0..<4).map { _ in try SteppedClock(library) }
                let server = try await TestServer(engine, environment: clocks[3].environment)
                try await server.start()
                var workers = WorkerProcesses(kind, engine, port: server.port)
                workers.environments = clocks[..<3].map(\.environment)
                (workers.options.lease, workers.options.hasReminders) = (400, false)
                let count = kind == .durable ? 2 : 3
                try workers.start(count)
                try await workers.waitForProgress()
                var kills = 0
                for _ in 0..<TestExtent.rounds(6) {
                    try await Task.sleep(for: .milliseconds(Int.random(in: 1...200, using: &generator)))
                    for clock in clocks where Bool.random(using: &generator) {
                        try clock.set(ahead: Self.step(using: &generator))
                    }
                    guard Int.random(in: 0..<3, using: &generator) == 0 else { continue }
                    kills += 1
                    try await workers.replace(Int.random(in: 0..<count, using: &generator))
                    // A lease from the server's future lasts until that time.
                    try clocks[3].set(ahead: 400_000_000 * Int64(kills))
                }
                try clocks[3].set(ahead: 400_000_000 * Int64(kills + 1))
                try await workers.waitForProgress()
                let history = try await workers.check(at: server.port)
                #expect(workers.stops == [:])
                TestExtent.tell("\(engine), \(kind), clocks: \(kills) kills, \(history.summary)")
                try await server.end()
            }

            @Test("A process with a stepped clock has another time, and measures durations correctly")
            func library() async throws {
                let library = try await SteppedClock.makeLibrary()
                defer { unlink(library) }
                let clock = try SteppedClock(library)
                for days: Int64 in [0, 3, -3] {
                    try clock.set(ahead: days * 86_400_000)
                    let start = ContinuousClock.now
                    let words = clock.environment + ["sh", "-c", "date +%s; sleep 0.05; date +%s"]
                    let process = try ChildProcess("/usr/bin/env", words)
                    try await process.waitForEnd()
                    let expected = Date.now.timeIntervalSince1970 + Double(days) * 86_400
                    let times = process.lines.compactMap { Double($0) }
                    #expect(times.count == 2 && times.allSatisfy { abs($0 - expected) < 60 }, "\(process.lines)")
                    #expect(ContinuousClock.now - start < .seconds(50))
                }
            }
        }
    }
#endif
