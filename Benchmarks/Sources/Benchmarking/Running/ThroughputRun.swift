/// Measures the duration of back-to-back operations.
struct ThroughputRun {
    let comparison: Comparison
    let isQuick: Bool
    /// Measures how many of a number of threads have a core.
    var makeProbe: @Sendable (_ threads: Int) -> CoreProbe = { CoreProbe(threads: $0) }
    /// Whether to stop after the next round, with the results so far.
    var isInterrupted: @Sendable () -> Bool = { false }

    func run() async throws -> [BenchmarkResult] {
        var contenders: [Contender] = []
        let results: [BenchmarkResult]
        do {
            results = try await run(&contenders)
        } catch {
            for contender in contenders { try? await contender.end() }
            throw error
        }
        for contender in contenders { try await contender.end() }
        return results
    }

    private func run(_ contenders: inout [Contender]) async throws -> [BenchmarkResult] {
        ResidentMemory.resetPeak()
        for benchmark in comparison.benchmarks {
            guard case .throughput(_, let setUp) = benchmark.kind else { continue }
            contenders.append(try await begun(Contender(benchmark, isQuick: isQuick, setUp: setUp)))
        }
        var droppedRounds = try await measure(&contenders)
        // A contender that ran at another speed when its number of operations was chosen gets a number for its current
        // speed.
        for _ in 0..<2 where !isInterrupted() {
            let tooShort = contenders.indices.filter { contenders[$0].isTooShort }
            guard !tooShort.isEmpty else { break }
            for index in tooShort { contenders[index].lengthen() }
            for index in contenders.indices { contenders[index].forgetSamples() }
            droppedRounds = try await measure(&contenders)
        }
        let peak = ResidentMemory.peak
        let resident = AllocationCounter.residentBytes
        // By copies, because Swift 6.3 cannot compile the change of an element here in a release build.
        for index in contenders.indices where !isInterrupted() {
            var contender = contenders[index]
            try await contender.countAllocations()
            contenders[index] = contender
        }
        return results(
            of: contenders,
            droppedRounds: droppedRounds,
            memory: [.peakMemoryResident: peak, .allocatedResidentMemory: resident]
        )
    }

    private func begun(_ contender: Contender) async throws -> Contender {
        var contender = contender
        do {
            try await contender.begin()
        } catch {
            try? await contender.end()
            throw error
        }
        return contender
    }

    /// Round by round, each contender in its turn; another one begins each round, because a contender that keeps
    /// threads awake leaves them awake for the next one.
    ///
    /// - Returns: The number of rounds skipped because of missing cores; nil if one core is enough.
    private func measure(_ contenders: inout [Contender]) async throws -> Int? {
        let allowance = contenders.map(\.configuration.nanoseconds).reduce(0, +)
        let producers =
            contenders.map { $0.configuration.needsOneCore ? 1 : $0.benchmark.producers.count }.max() ?? 1
        let probe = makeProbe(min(producers, Machine.cores))
        var rounds = CoreRounds(probe: probe, patience: 3 * allowance)
        var round = 0
        while !isInterrupted() {
            let active = contenders.indices.filter {
                contenders[$0].wantsRound(round, elapsed: rounds.elapsed < allowance)
            }
            guard !active.isEmpty, rounds.begin() else { break }
            var samples: [(index: Int, sample: Sample)] = []
            for position in active.indices {
                let index = active[(position + round) % active.count]
                samples.append((index, try await contenders[index].sample()))
            }
            // Other processes must not disturb one of the contenders alone.
            guard rounds.end() else { continue }
            for (index, sample) in samples { contenders[index].log(sample) }
            round += 1
        }
        return probe.threads > 1 ? rounds.dropped : nil
    }

    private func results(
        of contenders: [Contender],
        droppedRounds: Int?,
        memory: [MetricName: Int?]
    ) -> [BenchmarkResult] {
        contenders.map { contender in
            let benchmark = contender.benchmark
            var result = BenchmarkResult(
                name: "\(comparison.suite)/\(benchmark.name)",
                parameters: benchmark.parameters,
                metrics: contender.samples.metrics,
                histogram: contender.samples.times,
                rounds: contender.samples.rounds
            )
            result.operationsPerSample = contender.operations
            result.droppedRounds = droppedRounds
            result.refusal = contender.refusal
            for case (let name, let bytes?) in memory {
                result.metrics[name] = Metric(unit: "B", values: [Double(bytes)])
            }
            guard contender.refusal == nil else { return result }
            result.setRatios(
                benchmark.baselines.compactMap { name in
                    let other = contenders.first { $0.benchmark.name == name && $0.refusal == nil }
                    return other.map { (name, Ratio(rounds: contender.samples.ratios(to: $0.samples))) }
                }
            )
            return result
        }
    }
}

/// The rounds that count: those in which each thread had a core, before and after.
private struct CoreRounds {
    let probe: CoreProbe
    /// The nanoseconds for which rounds without cores are skipped.
    let patience: Int
    private(set) var dropped = 0
    private let start = MonotonicClock.now
    /// Nanoseconds in skipped rounds.
    private var droppedTime = 0
    private var roundStart = 0

    init(probe: CoreProbe, patience: Int) {
        self.probe = probe
        self.patience = patience
    }

    /// Nanoseconds in counting rounds.
    var elapsed: Int { MonotonicClock.now - start - droppedTime }

    /// Waits for the cores.
    ///
    /// - Returns: False if they were not available in time.
    mutating func begin() -> Bool {
        roundStart = MonotonicClock.now
        while !probe.areThere {
            if droppedTime + MonotonicClock.now - roundStart > patience { return false }
        }
        droppedTime += MonotonicClock.now - roundStart
        roundStart = MonotonicClock.now
        return true
    }

    /// Whether the cores are still available.
    mutating func end() -> Bool {
        if probe.areThere { return true }
        dropped += 1
        droppedTime += MonotonicClock.now - roundStart
        return false
    }
}
