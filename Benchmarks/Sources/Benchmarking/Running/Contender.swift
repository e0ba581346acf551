/// One benchmark of a comparison, during its measurement.
struct Contender {
    let benchmark: Benchmark
    let configuration: Configuration
    /// The number of operations in a sample.
    private(set) var operations = 1
    private(set) var samples = SampleLog()
    private let setUp: @Sendable () async throws -> Benchmark.Session<Int>
    /// The fixture that all samples share; nil if each has its own.
    private var session: Benchmark.Session<Int>?

    init(
        _ benchmark: Benchmark,
        isQuick: Bool,
        setUp: @escaping @Sendable () async throws -> Benchmark.Session<Int>
    ) {
        self.benchmark = benchmark
        configuration = isQuick ? benchmark.configuration.quick : benchmark.configuration
        self.setUp = setUp
    }

    /// Sets up, determines the number of operations of a sufficiently long sample, and warms up.
    mutating func begin() async throws {
        if !configuration.setsUpEachSample { session = try await setUp() }
        if let fixed = configuration.operationsPerSample {
            operations = fixed
            for _ in 0..<configuration.warmUpSamples { _ = try await sample() }
        } else {
            try await chooseOperations()
        }
    }

    func end() async throws { try await session?.tearDown() }

    /// Chooses a number of operations, and continues until the samples of that number are long enough, by their median:
    /// the samples that led to the choice may have been delayed, which would make all later ones too short.
    private mutating func chooseOperations() async throws {
        let goal = Double(configuration.sampleNanoseconds)
        operations = configuration.rounded(1)
        var isChosen = false
        while true {
            var lengths = [Double(try await sample().nanoseconds)]
            // A sample as long as many of them is not an outlier, and would cost too much to repeat.
            let isLong = lengths[0] >= 20 * goal
            if lengths[0] >= goal / 2, !isLong {
                for _ in 0..<max(2, configuration.warmUpSamples) {
                    lengths.append(Double(try await sample().nanoseconds))
                }
            }
            let median = max(Quantiles(lengths)[0.5], 1)
            let isEnough = median >= goal / 2
            if isEnough && isChosen { return }
            // At most tenfold, because the first operations are slower than later ones.
            let wanted = configuration.rounded(Double(operations) * min(goal / median, 10))
            operations = isEnough ? wanted : max(operations + configuration.multiple, wanted)
            if isLong { return }
            isChosen = isEnough
        }
    }

    /// Whether it takes part in the round of that number.
    func wantsRound(_ round: Int, elapsed isInTime: Bool) -> Bool {
        round < configuration.minimumSamples || (isInTime && round < configuration.maximumSamples)
    }

    /// Takes a sample.
    func sample() async throws -> Sample {
        guard let session else {
            let session = try await setUp()
            let sample = try await Sample.take { try await session.run(operations) }
            try await session.tearDown()
            return sample
        }
        return try await Sample.take { try await session.run(operations) }
    }

    mutating func log(_ sample: Sample) { samples.append(sample, operations: operations) }

    mutating func forgetSamples() { samples = SampleLog() }

    /// The duration of the median sample, in nanoseconds; nil without samples.
    private var medianLength: Double? {
        samples.rounds.isEmpty ? nil : Quantiles(samples.rounds)[0.5] * Double(operations)
    }

    private var leastLength: Double { Double(configuration.sampleNanoseconds) / 4 }

    /// Whether its samples are too short, and can be longer.
    var isTooShort: Bool {
        configuration.operationsPerSample == nil && medianLength.map { $0 < leastLength } == true
    }

    /// Makes samples longer, according to their duration.
    mutating func lengthen() {
        guard let medianLength else { return }
        operations = configuration.rounded(
            Double(operations) * Double(configuration.sampleNanoseconds) / max(medianLength, 1)
        )
    }

    /// The reason why the samples are meaningless; nil for valid ones.
    var refusal: String? {
        guard let medianLength else { return "no round in which the machine had the cores that it needs" }
        guard medianLength < leastLength else { return nil }
        return "a sample of \(operations) operations took \(Int(medianLength)) ns, of which at least "
            + "\(Int(leastLength)) are needed"
    }

    /// Counts the allocations of a number of operations and of twice that number, after a warm-up sample: the
    /// difference excludes the one-time costs of a sample, such as its tasks.
    ///
    /// The number is that of samples: fewer operations would count what fills caches, as a worker of libdispatch caches
    /// a thousand blocks. A given number of operations may be the maximum, so it is the greater number.
    mutating func countAllocations() async throws {
        guard AllocationCounter.isAvailable, configuration.countsAllocations else { return }
        let isFixed = configuration.operationsPerSample != nil
        let (fewer, more) = isFixed ? (operations / 2, operations) : (operations, 2 * operations)
        guard fewer > 0 else { return }
        _ = try await allocations(of: fewer)
        let start = MonotonicClock.now
        for round in 0..<5 {
            // Long operations are few, and need no statistics.
            if round > 0, MonotonicClock.now - start > 2_000_000_000 { break }
            guard let once = try await allocations(of: fewer), let twice = try await allocations(of: more) else {
                return
            }
            samples.appendAllocations(
                count: Double(twice.allocations - once.allocations) / Double(more - fewer),
                bytes: Double(twice.allocatedBytes - once.allocatedBytes) / Double(more - fewer)
            )
        }
    }

    private func allocations(of operations: Int) async throws -> AllocationCounter.Counts? {
        let shared = session
        let session = if let shared { shared } else { try await setUp() }
        let counts = try await AllocationCounter.count { _ = try await session.run(operations) }
        if shared == nil { try await session.tearDown() }
        return counts
    }
}
