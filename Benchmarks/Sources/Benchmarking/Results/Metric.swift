/// The metrics, with the names of the package-benchmark plug-in.
public enum MetricName: String, Sendable, Codable, CodingKeyRepresentable, CaseIterable {
    /// The duration of an operation.
    case wallClock
    /// The time from the intended start of an operation to its end.
    case latency
    /// Operations per second.
    case throughput
    /// The time that threads compute for an operation in user mode.
    case cpuUser
    /// The time that threads compute for an operation in the system.
    case cpuSystem
    /// The sum of both.
    case cpuTotal
    /// The number of blocks that an operation allocates.
    case mallocCountTotal
    /// The number of bytes that an operation allocates.
    case mallocBytesTotal
    /// The number of bytes that an object retains on the heap.
    case liveBytes
    /// The number of blocks that an object retains on the heap.
    case liveBlocks
    /// The number of times that a thread loses or yields its core during an operation.
    case contextSwitches
    /// The average number of cores used by the process: its CPU time over the elapsed time. Spinning counts.
    case parallelism
    /// The shortest time of a producer's share, as a fraction of the longest.
    case fairness
    /// The number of instructions that an operation executes in user mode.
    case instructions
    /// The maximum memory occupied by the process while the benchmark and its baselines ran.
    case peakMemoryResident
    /// The memory occupied by the allocator after the benchmark and its baselines had run.
    case allocatedResidentMemory
    /// The rate of offered operations, per second.
    case offeredRate

    /// Whether more is better.
    var prefersLarger: Bool {
        switch self {
        case .throughput, .offeredRate, .fairness, .parallelism: true
        default: false
        }
    }
}

/// The distribution of one metric of one benchmark.
public struct Metric: Sendable, Codable, Equatable {
    /// The unit of the values.
    public var unit: String
    /// The number of samples.
    public var samples: Int
    /// Percentiles: if more is better, p99 is the value that 99 % of the samples attain at least.
    public var p0, p25, p50, p75, p90, p99, p999, p100: Double

    enum CodingKeys: String, CodingKey {
        case unit, samples, p0, p25, p50, p75, p90, p99, p100
        case p999 = "p99.9"
    }

    /// The percentiles by their names in reports.
    public var percentiles: [(name: String, value: Double)] {
        [
            ("p0", p0), ("p25", p25), ("p50", p50), ("p75", p75), ("p90", p90), ("p99", p99), ("p99.9", p999),
            ("p100", p100),
        ]
    }

    /// The percentile of that name, or nil if reports have none.
    public func percentile(_ name: String) -> Double? {
        percentiles.first { $0.name == name }?.value
    }

    /// From a function of the fraction from 0 to 1.
    init(unit: String, samples: Int, value: (Double) -> Double) {
        self.unit = unit
        self.samples = samples
        p0 = value(0)
        p25 = value(0.25)
        p50 = value(0.5)
        p75 = value(0.75)
        p90 = value(0.9)
        p99 = value(0.99)
        p999 = value(0.999)
        p100 = value(1)
    }

    /// From the complete values.
    init(unit: String, values: [Double]) {
        let quantiles = Quantiles(values)
        self.init(unit: unit, samples: values.count) { quantiles[$0] }
    }

    /// From a histogram of picoseconds.
    init(picoseconds histogram: Histogram) {
        self.init(unit: "ns", samples: histogram.count) { Double(histogram.value(at: $0)) / 1_000 }
    }

    /// Operations per second from nanoseconds per operation.
    init(throughputOf time: Metric) {
        self = time
        unit = "1/s"
        p0 = 1e9 / time.p0
        p25 = 1e9 / time.p25
        p50 = 1e9 / time.p50
        p75 = 1e9 / time.p75
        p90 = 1e9 / time.p90
        p99 = 1e9 / time.p99
        p999 = 1e9 / time.p999
        p100 = 1e9 / time.p100
    }
}

/// The time of a benchmark as a multiple of its baseline's, over rounds in which both ran one after the other.
public struct Ratio: Sendable, Codable, Equatable {
    /// Quartiles over the rounds.
    public var p25, p50, p75: Double

    /// From one ratio for each round.
    init(rounds: [Double]) {
        let quantiles = Quantiles(rounds)
        p25 = quantiles[0.25]
        p50 = quantiles[0.5]
        p75 = quantiles[0.75]
    }
}
