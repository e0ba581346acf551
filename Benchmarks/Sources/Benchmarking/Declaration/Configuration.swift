/// How long a benchmark is measured, and with how many operations at a time.
public struct Configuration: Sendable {
    /// How long a sample takes at least, in nanoseconds: as many operations are done at a time as that needs. It should
    /// be thousands of times what a look at the clock costs.
    public var sampleNanoseconds: Int
    /// How many operations a sample has; nil if the harness is to find that out.
    public var operationsPerSample: Int?
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

    /// - Parameters:
    ///   - sampleNanoseconds: how long a sample takes at least, in nanoseconds.
    ///   - operationsPerSample: how many operations a sample has; nil if the harness is to find that out.
    ///   - nanoseconds: how long samples are taken at most, in nanoseconds.
    ///   - minimumSamples: how many samples are taken at least.
    ///   - maximumSamples: how many samples are taken at most.
    ///   - warmUpSamples: how many samples are thrown away at the beginning.
    ///   - setsUpEachSample: whether each sample has a fixture of its own.
    public init(
        sampleNanoseconds: Int = 2_000_000,
        operationsPerSample: Int? = nil,
        nanoseconds: Int = 500_000_000,
        minimumSamples: Int = 5,
        maximumSamples: Int = 2_000,
        warmUpSamples: Int = 2,
        setsUpEachSample: Bool = false
    ) {
        self.sampleNanoseconds = sampleNanoseconds
        self.operationsPerSample = operationsPerSample
        self.nanoseconds = nanoseconds
        self.minimumSamples = minimumSamples
        self.maximumSamples = maximumSamples
        self.warmUpSamples = warmUpSamples
        self.setsUpEachSample = setsUpEachSample
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
}
