/// How long a benchmark is measured, and with how many operations at a time.
public struct Configuration: Sendable {
    /// How long a sample should take, in nanoseconds: the harness does as many operations at a time as that needs. It
    /// should be thousands of times what a look at the clock costs. A result whose median sample is shorter than a
    /// quarter of it is refused.
    public var sampleNanoseconds: Int
    /// How many operations a sample has; nil if the harness is to find that out.
    public var operationsPerSample: Int?
    /// The number of operations in a sample is a multiple of this, for operations that are done so many at once.
    public var multiple: Int
    /// How long samples are taken at most, in nanoseconds, for each benchmark that is compared.
    public var nanoseconds: Int
    /// How many samples are taken at least, however long that takes.
    public var minimumSamples: Int
    /// How many samples are taken at most.
    public var maximumSamples: Int
    /// How many samples are thrown away at the beginning.
    public var warmUpSamples: Int
    /// Whether each sample has a fixture of its own.
    public var setsUpEachSample: Bool
    /// Whether allocations are counted, by samples of different numbers of operations; not for what always does the
    /// same number.
    public var countsAllocations: Bool

    /// - Parameters:
    ///   - sampleNanoseconds: how long a sample should take, in nanoseconds.
    ///   - operationsPerSample: how many operations a sample has; nil if the harness is to find that out.
    ///   - multiple: what the number of operations in a sample is a multiple of.
    ///   - nanoseconds: how long samples are taken at most, in nanoseconds.
    ///   - minimumSamples: how many samples are taken at least.
    ///   - maximumSamples: how many samples are taken at most.
    ///   - warmUpSamples: how many samples are thrown away at the beginning.
    ///   - setsUpEachSample: whether each sample has a fixture of its own.
    ///   - countsAllocations: whether allocations are counted.
    public init(
        sampleNanoseconds: Int = 2_000_000,
        operationsPerSample: Int? = nil,
        multiple: Int = 1,
        nanoseconds: Int = 500_000_000,
        minimumSamples: Int = 5,
        maximumSamples: Int = 2_000,
        warmUpSamples: Int = 2,
        setsUpEachSample: Bool = false,
        countsAllocations: Bool = true
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
    }

    /// The same, for a look that must not take long.
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
