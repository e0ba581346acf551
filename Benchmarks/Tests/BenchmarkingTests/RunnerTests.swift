import Foundation
import Synchronization
import Testing

@testable import Benchmarking

extension BenchmarkingTests {
    @Suite("The runner")
    struct RunnerTests {
        private static let brief = Configuration(
            sampleNanoseconds: 4,
            operationsPerSample: 3,
            nanoseconds: 1,
            minimumSamples: 4,
            maximumSamples: 4,
            warmUpSamples: 1
        )

        @Test("A benchmark and its baselines run interleaved, and another one begins each round")
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
            let results = await Runner(suites: [suite]).run { $0 == "suite/A" }
            #expect(results.map(\.name) == ["suite/A", "suite/B", "suite/C"])
            // Each warms up, and four rounds count; then allocations are counted.
            #expect(log.names.prefix(15).joined() == "ABCABCBCACABABC")
            #expect(results[0].baseline == "B")
            #expect(results[0].ratios.map { Set($0.keys) } == ["B", "C"])
            #expect(results[0].metrics[.wallClock]?.samples == 4)
            #expect(results[1].ratio == nil)
        }

        @Test("Set-up and tear-down happen once for each benchmark, or once for each sample on request")
        func setUps() async throws {
            let log = Log()
            var configuration = Self.brief
            configuration.setsUpEachSample = true
            let once = benchmark("once", log, setUp: "set up")
            let each = benchmark("each", log, configuration: configuration, setUp: "set up each")
            _ = await Runner(suites: [Suite("suite", [once, each])]).run()
            #expect(log.count(of: "set up") == 1)
            #expect(log.count(of: "set up each") == log.count(of: "each"))
            #expect(log.count(of: "torn down") == 1 + log.count(of: "each"))
        }

        @Test(
            "Delayed samples during the search for the number of operations do not shorten the others",
            arguments: [1, 3]
        )
        func heldUpSamples(count heldUp: Int) async throws {
            let configuration = Configuration(sampleNanoseconds: 100_000, minimumSamples: 2, maximumSamples: 2)
            let calls = Atomic(0)
            let benchmark = Benchmark("held up", configuration: configuration) {
            } measure: { _, count in
                let isHeldUp = calls.add(1, ordering: .relaxed).oldValue < heldUp
                let start = ContinuousClock.now
                while isHeldUp, ContinuousClock.now - start < .microseconds(200) {}
                for _ in 0..<count { barrier() }
            }
            let results = await Runner(suites: [Suite("suite", [benchmark])]).run()
            // Some nanoseconds each: thousands in a sample, where the delayed ones alone would have suggested one.
            #expect(results[0].operationsPerSample.map { $0 > 100 } == true)
            #expect(results[0].refusal == nil)
        }

        @Test("A result with too short samples is refused, and has no ratio")
        func shortSamples() async throws {
            let configuration = Configuration(
                sampleNanoseconds: 1_000_000_000,
                operationsPerSample: 1,
                minimumSamples: 3,
                maximumSamples: 3
            )
            let suite = Suite(
                "suite",
                [
                    Benchmark("whole", comparedWith: ["short"], configuration: Self.brief) {
                    } measure: { _, count in
                        for number in 0..<count { blackHole(number) }
                    },
                    Benchmark("short", configuration: configuration) {
                    } measure: { _, _ in
                    },
                ]
            )
            let results = await Runner(suites: [suite]).run()
            #expect(results[0].refusal == nil && results[0].ratio == nil)
            #expect(results[1].refusal?.contains("a sample of 1 operations took") == true)
        }

        @Test("Samples that prove too short during the measurement get more operations")
        func lengthenedSamples() async throws {
            var configuration = Configuration(sampleNanoseconds: 1_000_000, minimumSamples: 3, maximumSamples: 3)
            configuration.warmUpSamples = 2
            let isFast = Atomic(false)
            let benchmark = Benchmark("fast at last", configuration: configuration) {
            } measure: { _, count in
                let work = isFast.load(ordering: .relaxed) ? 20 : 2_000
                for number in 0..<count * work { blackHole(number) }
            }
            let comparison = Comparison(suite: "suite", benchmarks: [benchmark])
            // The cores are measured after the number of operations has been chosen.
            let run = ThroughputRun(
                comparison: comparison,
                isQuick: false,
                makeProbe: { threads in
                    isFast.store(true, ordering: .relaxed)
                    return CoreProbe(threads: threads) { Double(threads) }
                }
            )
            let result = try await run.run()[0]
            #expect(result.refusal == nil && result.rounds.count == 3)
            let length = Quantiles(result.rounds)[0.5] * Double(try #require(result.operationsPerSample))
            #expect(length >= 250_000)
        }

        @Test("The number of operations in a sample is a multiple of the batch, and recorded")
        func multiples() async throws {
            let counts = Mutex<Set<Int>>([])
            let configuration = Configuration(
                sampleNanoseconds: 1_000,
                multiple: 700,
                minimumSamples: 2,
                maximumSamples: 2
            )
            let benchmark = Benchmark("700 at once", configuration: configuration) {
            } measure: { _, count in
                _ = counts.withLock { $0.insert(count % 700) }
                for number in 0..<count { blackHole(number) }
            }
            let results = await Runner(suites: [Suite("suite", [benchmark])]).run()
            #expect(counts.withLock { $0 } == [0])
            #expect(results[0].operationsPerSample.map { $0 > 0 && $0.isMultiple(of: 700) } == true)
            #expect(results[0].rounds.count == 2)
        }

        @Test("A benchmark with few samples does not reduce the samples of the compared ones")
        func roundsOfOnesOwn() async throws {
            var few = Self.brief
            (few.minimumSamples, few.maximumSamples) = (2, 2)
            let log = Log()
            let suite = Suite(
                "suite",
                [benchmark("many", log, comparedWith: ["few"]), benchmark("few", log, configuration: few)]
            )
            let results = await Runner(suites: [suite]).run()
            #expect(results.map(\.rounds.count) == [4, 2])
            #expect(results[0].ratio != nil)
        }

        // MARK: Producers

        @Test(
            "Several producers begin together, share the operations, and report their fairness",
            arguments: [false, true]
        )
        func producers(areThreads: Bool) async throws {
            let shares = Mutex<[Int]>([])
            var configuration = Self.brief
            configuration.operationsPerSample = 11
            let benchmark = Benchmark(
                "shared",
                configuration: configuration,
                producers: areThreads ? .threads(3) : .tasks(3)
            ) {
            } measure: { _, count in
                shares.withLock { $0.append(count) }
                for number in 0..<1_000 { blackHole(number) }
            } finish: { _ in
                shares.withLock { $0.append(-1) }
            }
            let comparison = Comparison(suite: "suite", benchmarks: [benchmark])
            let run = ThroughputRun(
                comparison: comparison,
                isQuick: false,
                makeProbe: { threads in CoreProbe(threads: threads) { 99 } }
            )
            let result = try await run.run()[0]
            // The next samples count allocations.
            let warmUpAndRounds = shares.withLock { Array($0.prefix(20)) }
            #expect(warmUpAndRounds.count == 20)
            for sample in stride(from: 0, to: 20, by: 4).map({ warmUpAndRounds[$0..<$0 + 4] }) {
                #expect(sample.last == -1)
                #expect(sample.dropLast().sorted() == [3, 4, 4])
            }
            let fairness = try #require(result.metrics[.fairness])
            #expect(fairness.samples == 4 && fairness.p0 > 0 && fairness.p100 <= 1)
            #expect(result.metrics[.parallelism].map { $0.p50 > 0 } == true)
            #expect(result.droppedRounds == 0)
        }

        /// Measures two tasks on a machine whose number of available cores is given by a closure.
        private func measureTwoTasks(
            needingOneCore: Bool = false,
            cores: @escaping @Sendable (_ threads: Int) -> Double
        ) async throws -> BenchmarkResult {
            var configuration = Self.brief
            configuration.needsOneCore = needingOneCore
            let benchmark = Benchmark("two", configuration: configuration, producers: .tasks(2)) {
            } measure: { _, count in
                for number in 0..<count { blackHole(number) }
            }
            let run = ThroughputRun(
                comparison: Comparison(suite: "suite", benchmarks: [benchmark]),
                isQuick: false,
                makeProbe: { threads in CoreProbe(threads: threads) { cores(threads) } }
            )
            return try await run.run()[0]
        }

        @Test("Producers that need only one core are measured in all rounds")
        func oneCore() async throws {
            let result = try await measureTwoTasks(needingOneCore: true) { threads in threads > 1 ? 0 : 1 }
            #expect(result.droppedRounds == nil && result.rounds.count == 4)
        }

        @Test("Rounds without the required cores are skipped and counted")
        func roundsWithoutCores() async throws {
            let looks = Atomic(0)
            // Available before the first round, not after it, available from then on.
            let result = try await measureTwoTasks { threads in
                looks.add(1, ordering: .relaxed).oldValue == 1 ? 1 : Double(threads)
            }
            if Machine.cores > 1 {
                #expect(result.droppedRounds == 1)
            }
            #expect(result.rounds.count == 4 && result.refusal == nil)
        }

        @Test("A result without a round with the required cores is refused", .enabled(if: Machine.cores > 1))
        func noCores() async throws {
            let result = try await measureTwoTasks { _ in 1 }
            #expect(result.refusal?.contains("cores") == true && result.rounds.isEmpty)
        }

        @Test("An operation slower than its baseline has a ratio above one")
        func ratios() async throws {
            // So short, so many and so far apart that other load of the machine changes nothing.
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
            let results = await Runner(suites: [suite]).run()
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
            let results = await Runner(suites: [suite]).run()
            #expect(results.map { $0.metrics[.mallocCountTotal]?.p50 } == [1, 2, 0])
            // Two words of header and two of contents.
            #expect(results.map { $0.metrics[.mallocBytesTotal]?.p50 } == [32, 64, 0])
        }

        @Test(
            "Allocations of C++ and of the rarer C functions are counted",
            .enabled(if: AllocationCounter.isAvailable)
        )
        func allocationFunctions() async throws {
            typealias Allocate = @convention(c) (Int) -> UnsafeMutableRawPointer?
            typealias AllocateAligned = @convention(c) (Int, Int) -> UnsafeMutableRawPointer?
            let process = dlopen(nil, RTLD_NOW)
            // The operator new, whose counterpart releases what `free` does.
            let new = unsafeBitCast(try #require(dlsym(process, "_Znwm")), to: Allocate.self)
            let memalign = unsafeBitCast(try #require(dlsym(process, "memalign")), to: AllocateAligned.self)
            let suite = Suite(
                "suite",
                [
                    Benchmark("new", configuration: Self.brief) {
                    } measure: { _, count in
                        for _ in 0..<count { free(new(24)) }
                    },
                    Benchmark("memalign", configuration: Self.brief) {
                    } measure: { _, count in
                        for _ in 0..<count { free(memalign(64, 64)) }
                    },
                ]
            )
            let results = await Runner(suites: [suite]).run()
            #expect(results.map { $0.metrics[.mallocCountTotal]?.p50 } == [1, 1])
        }

        @Test(
            "Retained objects are counted in bytes, and their places are not",
            .enabled(if: AllocationCounter.isAvailable)
        )
        func liveBytes() async throws {
            let benchmark = Benchmark.memory("object", count: 10_000) {
            } make: { _ in
                Object()
            }
            let result = await Runner(suites: [Suite("suite", [benchmark])]).run()[0]
            #expect(result.metrics[.liveBytes].map { (31.5...32.5).contains($0.p50) } == true)
            #expect(result.metrics[.liveBlocks].map { (0.99...1.01).contains($0.p50) } == true)
            #expect(result.metrics[.liveBytes]?.samples == 3)
            #expect(result.metrics[.wallClock] == nil)
        }

        @Test("Objects that a task releases later are not counted", .enabled(if: AllocationCounter.isAvailable))
        func lateReleases() async throws {
            let benchmark = Benchmark.memory("object", count: 10_000) { count in
                let kept = ReleasedByTask((0..<count).map { _ in Object() })
                try await Task.sleep(for: .milliseconds(100))
                return kept
            }
            let result = await Runner(suites: [Suite("suite", [benchmark])]).run()[0]
            // The object, and its place in the array.
            #expect(result.metrics[.liveBytes].map { (38.0...46.0).contains($0.p50) } == true)
        }

        @Test("Latency counts from the intended start: a late operation makes later ones late")
        func latency() async throws {
            let delay = Delay()
            let configuration = Configuration(nanoseconds: 50_000_000)
            let suite = Suite(
                "suite",
                [
                    Benchmark.latency("late", loads: .fractions([0.5, 20]), configuration: configuration) {
                    } operation: { _ in
                        delay.spend()
                    }
                ]
            )
            let results = await Runner(suites: [suite]).run()
            #expect(results.map { $0.parameters["load"] } == [.real(0.5), .integer(20)])
            // Offered twenty times as often as it can be done, the last one begins much later than it should.
            let relaxed = try #require(results[0].metrics[.latency])
            let saturated = try #require(results[1].metrics[.latency])
            #expect(saturated.p99 > 5 * relaxed.p0)
            let offered = try #require(results[1].metrics[.offeredRate]?.p50)
            let attained = try #require(results[1].metrics[.throughput]?.p50)
            #expect(attained < offered / 2)
            #expect(results[1].refusal?.contains("operations a second offered") == true)
        }

        @Test("A baseline has its own load: the slower of two gets less")
        func ownCapacity() async throws {
            let delay = Delay()
            let configuration = Configuration(nanoseconds: 20_000_000)
            let suite = Suite(
                "suite",
                [
                    Benchmark.latency(
                        "fast",
                        comparedWith: ["slow"],
                        loads: .fractions([0.25]),
                        configuration: configuration
                    ) {
                    } operation: { _ in
                        delay.spend()
                    },
                    Benchmark.latency("slow") {
                    } operation: { _ in
                        for _ in 0..<20 { delay.spend() }
                    },
                ]
            )
            let results = await Runner(suites: [suite], isQuick: true).run()
            let rates = results.compactMap { $0.metrics[.offeredRate]?.p50 }
            #expect(rates.count == 2 && rates[0] > 4 * rates[1])
        }

        @Test("Several callers call at the requested rate, and all of their operations are counted")
        func callers() async throws {
            let calls = Atomic(0)
            let benchmark = Benchmark.latency(
                "called",
                loads: .rates([4_000]),
                callers: 4,
                configuration: Configuration(nanoseconds: 100_000_000)
            ) {
            } operation: { _ in
                calls.add(1, ordering: .relaxed)
            }
            let result = await Runner(suites: [Suite("suite", [benchmark])]).run()[0]
            #expect(result.parameters["rate"] == .integer(4_000))
            #expect(result.metrics[.offeredRate]?.p50 == 4_000)
            #expect(result.metrics[.latency]?.samples == calls.load(ordering: .relaxed))
            #expect(calls.load(ordering: .relaxed) == 400)
        }

        @Test("Events seen elsewhere are reported with the moment from which each operation's latency counts")
        func propagation() async throws {
            let observer = Observer()
            let benchmark = Benchmark.propagation(
                "seen",
                loads: .rates([1_000]),
                configuration: Configuration(nanoseconds: 100_000_000)
            ) {
                observer
            } operation: { observer, start in
                observer.note(start)
            } observe: { observer in
                observer.observe()
            }
            let result = await Runner(suites: [Suite("suite", [benchmark])]).run()[0]
            #expect(result.parameters["rate"] == .integer(1_000))
            // Twenty in each of five rounds, each seen twice.
            #expect(observer.rounds.map(\.count) == [20, 20, 20, 20, 20])
            #expect(result.metrics[.latency]?.samples == 200)
            #expect(result.metrics[.latency]?.p50 == 7)
            #expect(result.rounds == [7, 7, 7, 7, 7])
            let attained = try #require(result.metrics[.throughput]?.p50)
            #expect(attained < 1_500)
            for round in observer.rounds {
                #expect(zip(round, round.dropFirst()).allSatisfy { $1 - $0 == 1_000_000 })
            }
        }

        @Test("Callers without a rate run at full speed, which has no load and is not refused")
        func unlimitedLoad() async throws {
            func benchmark(_ name: String, comparedWith baselines: [String] = []) -> Benchmark {
                .propagation(
                    name,
                    comparedWith: baselines,
                    loads: .unlimited,
                    callers: .tasks(3),
                    configuration: Configuration(nanoseconds: 5_000_000)
                ) {
                    Observer()
                } operation: { observer, start in
                    observer.note(start)
                    try await Task.sleep(for: .microseconds(100))
                } observe: { observer in
                    observer.observe()
                }
            }
            let suite = Suite("suite", [benchmark("seen", comparedWith: ["plain"]), benchmark("plain")])
            let results = await Runner(suites: [suite], isQuick: true).run()
            #expect(results.map(\.identity) == ["suite/seen", "suite/plain"])
            for result in results {
                #expect(result.refusal == nil && result.rounds == [7, 7])
                #expect(result.metrics[.offeredRate] == nil)
                #expect(result.metrics[.throughput].map { $0.p50 > 0 } == true)
            }
            #expect(results[0].ratio?.p50 == 1)
        }

        @Test("An interrupted run returns its measurements so far")
        func interruption() async throws {
            let log = Log()
            let suite = Suite("suite", [benchmark("first", log), benchmark("second", log), benchmark("third", log)])
            let results = await Runner(suites: [suite]).run(isInterrupted: { log.names.contains("second") })
            #expect(results.map(\.title) == ["first", "second"])
        }

        @Test("A failing benchmark is torn down with the compared ones, reports the reason, and the others run")
        func errors() async throws {
            let log = Log()
            let fails = Benchmark("fails", comparedWith: ["plain"], configuration: Self.brief) {
            } tearDown: { _ in
                log.append("torn down")
            } measure: { _, _ in
                throw Failure()
            }
            let seen = Benchmark.propagation("seen", loads: .rates([1, 2])) {
                Observer()
            } tearDown: { _ in
                log.append("torn down")
            } operation: { _, _ in
                throw Failure()
            } observe: { observer in
                observer.observe()
            }
            let plain = benchmark("plain", log, setUp: "set up")
            let suite = Suite("suite", [fails, plain, seen, benchmark("other", log)])
            let results = await Runner(suites: [suite]).run()
            #expect(
                results.map(\.identity) == [
                    "suite/fails", "suite/plain", "suite/seen rate=1", "suite/seen rate=2", "suite/other",
                ]
            )
            for result in results.prefix(4) {
                #expect(result.hasFailed == true && result.refusal == "failed: Failure()")
                #expect(result.metrics.isEmpty && result.ratio == nil)
            }
            #expect(results[4].hasFailed == nil && results[4].refusal == nil)
            #expect(log.count(of: "torn down") == 2)
            #expect(log.count(of: "set up") == 0)
        }

        private struct Failure: Error {}

        /// Sees each operation twice, 7 ns after its start.
        private final class Observer: Sendable {
            private let starts = Mutex<(new: [Int], rounds: [[Int]])>(([], []))

            var rounds: [[Int]] { starts.withLock { $0.rounds } }

            func note(_ start: Int) { starts.withLock { $0.new.append(start) } }

            func observe() -> Histogram {
                var histogram = Histogram()
                starts.withLock { starts in
                    histogram.record(7_000, times: 2 * starts.new.count)
                    starts.rounds.append(starts.new)
                    starts.new = []
                }
                return histogram
            }
        }

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

/// The events in order.
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
