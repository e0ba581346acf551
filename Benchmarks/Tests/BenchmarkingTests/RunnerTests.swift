import Benchmarking
import Synchronization
import Testing

extension BenchmarkingTests {
    @Suite("Runner")
    struct RunnerTests {
        private static let brief = Configuration(
            sampleNanoseconds: 1_000,
            operationsPerSample: 3,
            nanoseconds: 1,
            minimumSamples: 4,
            maximumSamples: 4,
            warmUpSamples: 1
        )

        @Test("A benchmark and its baselines run interleaved, in the order in which they were declared")
        func pairingOrder() async throws {
            let log = Log()
            let suite = Suite(
                "suite",
                [
                    benchmark("A", log, comparedWith: ["B", "C"]),
                    benchmark("other", log),
                    benchmark("B", log),
                    benchmark("C", log),
                ]
            )
            let results = try await Runner(suites: [suite]).run { $0 == "suite/A" }
            #expect(results.map(\.name) == ["suite/A", "suite/B", "suite/C"])
            // One round to warm up, and four that count; what counts allocations comes after.
            #expect(
                log.names.prefix(15) == ["A", "B", "C", "A", "B", "C", "A", "B", "C", "A", "B", "C", "A", "B", "C"]
            )
            #expect(results[0].baseline == "B")
            #expect(results[0].ratios.map { Set($0.keys) } == ["B", "C"])
            #expect(results[0].metrics[.wallClock]?.samples == 4)
            #expect(results[1].ratio == nil)
        }

        @Test("Set-up and tear-down happen once for each benchmark, or once for each sample if it is asked for")
        func setUps() async throws {
            let log = Log()
            var configuration = Self.brief
            configuration.setsUpEachSample = true
            let once = benchmark("once", log, setUp: "set up")
            let each = benchmark("each", log, configuration: configuration, setUp: "set up each")
            _ = try await Runner(suites: [Suite("suite", [once, each])]).run()
            #expect(log.count(of: "set up") == 1)
            #expect(log.count(of: "set up each") == log.count(of: "each"))
            #expect(log.count(of: "torn down") == 1 + log.count(of: "each"))
        }

        @Test("A sample that is held up while the number of operations is found out does not make the others short")
        func heldUpSample() async throws {
            let configuration = Configuration(sampleNanoseconds: 100_000, minimumSamples: 2, maximumSamples: 2)
            let calls = Atomic(0)
            let largest = Atomic(0)
            let once = Benchmark("once", configuration: configuration) {
            } measure: { _, count in
                let isFirst = calls.add(1, ordering: .relaxed).oldValue == 0
                let start = ContinuousClock.now
                while isFirst, ContinuousClock.now - start < .microseconds(200) {}
                for _ in 0..<count { barrier() }
                largest.max(count, ordering: .relaxed)
            }
            _ = try await Runner(suites: [Suite("suite", [once])]).run()
            // Some nanoseconds each: thousands in a sample, where the first one alone would have told one.
            #expect(largest.load(ordering: .relaxed) > 100)
        }

        @Test("An operation that takes longer than its baseline has a ratio above one")
        func ratios() async throws {
            // So short, so many and so far apart that a machine with other work changes nothing.
            let configuration = Configuration(sampleNanoseconds: 200_000, minimumSamples: 20, maximumSamples: 20)
            let suite = Suite(
                "suite",
                [
                    Benchmark("long", comparedWith: ["short"], configuration: configuration) {
                    } measure: { _, count in
                        for number in 0..<count * 100 { blackHole(number) }
                    },
                    Benchmark("short", configuration: configuration) {
                    } measure: { _, count in
                        for number in 0..<count { blackHole(number) }
                    },
                ]
            )
            let results = try await Runner(suites: [suite]).run()
            let ratio = try #require(results[0].ratio)
            #expect(ratio.p25 > 5)
            #expect(ratio.p25 <= ratio.p50 && ratio.p50 <= ratio.p75)
        }

        @Test("Allocations are counted exactly, on all threads", .enabled(if: AllocationCounter.isAvailable))
        func allocations() async throws {
            let suite = Suite(
                "suite",
                [
                    Benchmark("one object", configuration: Self.brief) {
                    } measure: { _, count in
                        for _ in 0..<count { blackHole(Object()) }
                    },
                    Benchmark("two objects on another thread", configuration: Self.brief) {
                    } measure: { _, count in
                        await Task.detached { for _ in 0..<2 * count { blackHole(Object()) } }.value
                    },
                    Benchmark("none", configuration: Self.brief) {
                    } measure: { _, count in
                        for number in 0..<count { blackHole(number) }
                    },
                ]
            )
            let results = try await Runner(suites: [suite]).run()
            #expect(results.map { $0.metrics[.mallocCountTotal]?.p50 } == [1, 2, 0])
            // Two words of header and two of contents.
            #expect(results.map { $0.metrics[.mallocBytesTotal]?.p50 } == [32, 64, 0])
        }

        /// Measures an array of objects, so many that what the test framework allocates and releases meanwhile does not show.
        private func measureObjects(
            _ keep: @escaping @Sendable ([Object]) async throws -> some Sendable
        ) async throws -> BenchmarkResult {
            let benchmark = Benchmark.memory("object", count: 100_000) {
            } make: { _, count in
                try await keep((0..<count).map { _ in Object() })
            }
            return try await Runner(suites: [Suite("suite", [benchmark])]).run()[0]
        }

        @Test("Objects that are kept are counted in bytes", .enabled(if: AllocationCounter.isAvailable))
        func liveBytes() async throws {
            let result = try await measureObjects { $0 }
            let bytes = try #require(result.metrics[.liveBytes]?.p50)
            // The object, and its place in the array.
            #expect((40...50).contains(bytes))
            #expect(result.metrics[.wallClock] == nil)
        }

        @Test("Objects that a task releases later are not counted", .enabled(if: AllocationCounter.isAvailable))
        func lateReleases() async throws {
            let result = try await measureObjects { objects in
                let kept = ReleasedByTask(objects)
                try await Task.sleep(for: .milliseconds(100))
                return kept
            }
            let bytes = try #require(result.metrics[.liveBytes]?.p50)
            #expect((40...50).contains(bytes))
        }

        @Test("Latency is counted from the intended start: an operation that is late makes those after it late")
        func latency() async throws {
            let delay = Delay()
            let configuration = Configuration(nanoseconds: 50_000_000)
            let suite = Suite(
                "suite",
                [
                    Benchmark.latency("late", loads: [0.5, 20], configuration: configuration) {
                    } operation: { _ in
                        delay.spend()
                    }
                ]
            )
            let results = try await Runner(suites: [suite]).run()
            #expect(results.map { $0.parameters["load"] } == [.real(0.5), .real(20)])
            // Offered twenty times as often as it can be done, the last one begins much later than it should.
            let relaxed = try #require(results[0].metrics[.latency])
            let saturated = try #require(results[1].metrics[.latency])
            #expect(saturated.p99 > 5 * relaxed.p0)
            let offered = try #require(results[1].metrics[.offeredRate]?.p50)
            let attained = try #require(results[1].metrics[.throughput]?.p50)
            #expect(attained < offered / 2)
        }

        @Test("What a benchmark throws reaches the caller")
        func errors() async {
            let suite = Suite(
                "suite",
                [
                    Benchmark("fails") {
                        throw Failure()
                    } measure: { (_: Int, _) in
                    }
                ]
            )
            await #expect(throws: Failure.self) { try await Runner(suites: [suite]).run() }
        }

        private struct Failure: Error {}

        private final class Object: Sendable {
            let first = 1
            let second = 2
        }

        /// Leaves the release of objects to a task.
        private final class ReleasedByTask: Sendable {
            let objects: [Object]

            init(_ objects: [Object]) { self.objects = objects }

            deinit {
                Task.detached { [objects] in
                    try await Task.sleep(for: .milliseconds(20))
                    _ = objects.count
                }
            }
        }

        private func benchmark(
            _ name: String,
            _ log: Log,
            comparedWith baselines: [String] = [],
            configuration: Configuration = brief,
            setUp: String = "-"
        ) -> Benchmark {
            Benchmark(name, comparedWith: baselines, configuration: configuration) {
                if setUp != "-" { log.append(setUp) }
            } tearDown: { _ in
                if setUp != "-" { log.append("torn down") }
            } measure: { _, _ in
                log.append(name)
            }
        }
    }
}

/// What happened, in order.
final class Log: Sendable {
    private let storage = Mutex<[String]>([])

    var names: [String] { storage.withLock { $0 } }

    func append(_ name: String) { storage.withLock { $0.append(name) } }

    func count(of name: String) -> Int { names.count { $0 == name } }
}

/// Takes some microseconds.
private struct Delay: Sendable {
    func spend() { for number in 0..<5_000 { blackHole(number) } }
}
