/// Measures how long operations take that come back to back.
struct ThroughputRun {
    let comparison: Comparison
    let isQuick: Bool

    private typealias Session = Benchmark.Session<Int>

    /// One benchmark of the comparison, while it is measured.
    private struct Contender {
        let benchmark: Benchmark
        let configuration: Configuration
        let setUp: @Sendable () async throws -> Session
        /// The fixture that all samples share; nil if each has its own.
        var session: Session?
        var operations = 1
        var samples = SampleLog()
    }

    func run() async throws -> [BenchmarkResult] {
        ResidentMemory.resetPeak()
        var contenders: [Contender] = []
        for benchmark in comparison.benchmarks {
            guard case .throughput(let setUp) = benchmark.kind else { continue }
            let configuration = isQuick ? benchmark.configuration.quick : benchmark.configuration
            var contender = Contender(benchmark: benchmark, configuration: configuration, setUp: setUp)
            if !configuration.setsUpEachSample { contender.session = try await setUp() }
            contender.operations = try await operations(for: contender)
            contenders.append(contender)
        }
        try await measure(&contenders)
        let peak = ResidentMemory.peak
        let resident = AllocationCounter.residentBytes
        for index in contenders.indices { try await countAllocations(&contenders[index]) }
        for contender in contenders { try await contender.session?.tearDown() }
        return results(of: contenders, memory: [.peakMemoryResident: peak, .allocatedResidentMemory: resident])
    }

    /// Finds out how many operations make a sample long enough.
    private func operations(for contender: Contender) async throws -> Int {
        if let operations = contender.configuration.operationsPerSample { return operations }
        let goal = contender.configuration.sampleNanoseconds
        var operations = 1
        while true {
            var nanoseconds = try await sample(contender, operations: operations).nanoseconds
            // Another process may have had the core meanwhile; samples that are too short would measure little else.
            for _ in 0..<2 where nanoseconds >= goal / 2 {
                nanoseconds = min(nanoseconds, try await sample(contender, operations: operations).nanoseconds)
            }
            if nanoseconds >= goal / 2 {
                return max(1, Int(Double(operations) * Double(goal) / Double(max(nanoseconds, 1))))
            }
            // Tenfold at most, because the first operations are slower than those that follow.
            let factor = Double(goal) / Double(max(nanoseconds, 1))
            operations = max(operations * 2, Int(Double(operations) * min(factor, 10)))
        }
    }

    /// Round by round, each contender in its turn.
    private func measure(_ contenders: inout [Contender]) async throws {
        let warmUp = contenders.map(\.configuration.warmUpSamples).max() ?? 0
        let minimum = contenders.map(\.configuration.minimumSamples).max() ?? 1
        let maximum = contenders.map(\.configuration.maximumSamples).min() ?? 1
        let allowance = contenders.map(\.configuration.nanoseconds).reduce(0, +)
        var round = -warmUp
        var start = MonotonicClock.now
        while round < minimum || (round < maximum && MonotonicClock.now - start < allowance) {
            if round == 0 { start = MonotonicClock.now }
            for index in contenders.indices {
                let sample = try await sample(contenders[index], operations: contenders[index].operations)
                if round >= 0 { contenders[index].samples.append(sample, operations: contenders[index].operations) }
            }
            round += 1
        }
    }

    private func sample(_ contender: Contender, operations: Int) async throws -> Sample {
        guard let session = contender.session else {
            let session = try await contender.setUp()
            let sample = try await Sample.take { try await session.run(operations) }
            try await session.tearDown()
            return sample
        }
        return try await Sample.take { try await session.run(operations) }
    }

    /// Counts the allocations of a number of operations and of twice that number: the difference is free of what a
    /// sample costs once, such as its tasks.
    private func countAllocations(_ contender: inout Contender) async throws {
        guard AllocationCounter.isAvailable else { return }
        // Counting makes allocations slower, and a few operations give the same figures as many.
        let operations = min(contender.operations, 2_000)
        for round in 0..<4 {
            let once = try await allocations(of: operations, contender)
            let twice = try await allocations(of: 2 * operations, contender)
            guard round > 0, let once, let twice else { continue }
            contender.samples.appendAllocations(
                count: Double(twice.allocations - once.allocations) / Double(operations),
                bytes: Double(twice.allocatedBytes - once.allocatedBytes) / Double(operations)
            )
        }
    }

    private func allocations(of operations: Int, _ contender: Contender) async throws -> AllocationCounter.Counts? {
        let shared = contender.session
        let session = if let shared { shared } else { try await contender.setUp() }
        let counts = try await AllocationCounter.count { try await session.run(operations) }
        if shared == nil { try await session.tearDown() }
        return counts
    }

    private func results(of contenders: [Contender], memory: [MetricName: Int?]) -> [BenchmarkResult] {
        contenders.map { contender in
            let benchmark = contender.benchmark
            var result = BenchmarkResult(
                name: "\(comparison.suite)/\(benchmark.name)",
                parameters: benchmark.parameters,
                metrics: contender.samples.metrics,
                histogram: contender.samples.times,
                rounds: contender.samples.rounds
            )
            for case (let name, let bytes?) in memory {
                result.metrics[name] = Metric(unit: "B", values: [Double(bytes)])
            }
            let ratios = benchmark.baselines.compactMap { name -> (String, Ratio)? in
                guard let other = contenders.first(where: { $0.benchmark.name == name }) else { return nil }
                return (name, Ratio(rounds: contender.samples.ratios(to: other.samples)))
            }
            result.setRatios(ratios)
            return result
        }
    }
}
