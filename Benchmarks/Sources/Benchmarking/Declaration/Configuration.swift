/// The duration of a measurement, and its operations per sample.
public struct Configuration: Sendable {
    /// The intended duration of a sample, in nanoseconds, which determines the number of operations. It should be
    /// thousands of times the cost of reading the clock. A result whose median sample is shorter than a quarter of it
    /// is refused.
    public var sampleNanoseconds: Int
    /// The number of operations in a sample; nil if the harness determines it.
    public var operationsPerSample: Int?
    /// The number of operations in a sample is a multiple of this, for operations done in batches.
    public var multiple: Int
    /// The maximum time for samples, in nanoseconds, for each compared benchmark.
    public var nanoseconds: Int
    /// The minimum number of samples, whatever their duration.
    public var minimumSamples: Int
    /// The maximum number of samples.
    public var maximumSamples: Int
    /// The number of discarded samples at the beginning.
    public var warmUpSamples: Int
    /// Whether each sample has its own fixture.
    public var setsUpEachSample: Bool
    /// Whether allocations are counted, by samples of different numbers of operations; not for a fixed number of
    /// operations.
    public var countsAllocations: Bool
    /// Whether the producers mostly sleep, so that they need only one core at a time. Otherwise rounds in which the
    /// machine lacks a core for one of them do not count.
    public var needsOneCore: Bool

    /// - Parameters:
    ///   - sampleNanoseconds: The intended duration of a sample, in nanoseconds.
    ///   - operationsPerSample: The number of operations in a sample; nil if the harness determines it.
    ///   - multiple: The divisor of the number of operations in a sample.
    ///   - nanoseconds: The maximum time for samples, in nanoseconds.
    ///   - minimumSamples: The minimum number of samples.
    ///   - maximumSamples: The maximum number of samples.
    ///   - warmUpSamples: The number of discarded samples at the beginning.
    ///   - setsUpEachSample: Whether each sample has its own fixture.
    ///   - countsAllocations: Whether allocations are counted.
    ///   - needsOneCore: Whether the producers mostly sleep, so that they need only one core at a time.
    public init(
        sampleNanoseconds: Int = 2_000_000,
        operationsPerSample: Int? = nil,
        multiple: Int = 1,
        nanoseconds: Int = 500_000_000,
        minimumSamples: Int = 5,
        maximumSamples: Int = 2_000,
        warmUpSamples: Int = 2,
        setsUpEachSample: Bool = false,
        countsAllocations: Bool = true,
        needsOneCore: Bool = false
    ) {
        self.sampleNanoseconds = sampleNanoseconds
        self.operationsPerSample = operationsPerSample
        self.multiple = multiple
        self.nanoseconds = nanoseconds
        self.minimumSamples = minimumSamples
        self.maximumSamples = maximumSamples
        self.warmUpSamples = warmUpSamples
        self.setsUpEachSample = setsUpEachSample
        self.countsAllocations = countsAllocations
        self.needsOneCore = needsOneCore
    }

    /// A configuration for a quick run.
    var quick: Configuration {
        var quick = self
        quick.nanoseconds /= 8
        quick.sampleNanoseconds /= 2
        quick.minimumSamples = min(minimumSamples, 3)
        quick.warmUpSamples = min(warmUpSamples, 1)
        return quick
    }

    /// A number of operations, rounded up to a whole multiple.
    func rounded(_ operations: Double) -> Int {
        let multiples = (max(operations, 1) / Double(multiple)).rounded(.up)
        return Int(min(multiples, 1e15)) * multiple
    }
}
