/// The cost of one run of a number of operations.
struct Sample {
    var nanoseconds: Int
    var userNanoseconds: Int
    var systemNanoseconds: Int
    var contextSwitches: Int
    var instructions: UInt64?
    /// The shortest time of a producer as a fraction of the longest; nil for one producer.
    var fairness: Double?

    /// Runs `body` once, with nothing between it and the clock.
    ///
    /// - Parameter body: Returns the fairness.
    static func take(_ body: () async throws -> Double?) async rethrows -> Sample {
        let before = ProcessCounters.now
        let instructionsBefore = InstructionCounter.shared.now
        let start = MonotonicClock.now
        let fairness = try await body()
        let end = MonotonicClock.now
        let instructionsAfter = InstructionCounter.shared.now
        let after = ProcessCounters.now
        var instructions: UInt64?
        if let instructionsBefore, let instructionsAfter { instructions = instructionsAfter - instructionsBefore }
        return Sample(
            nanoseconds: end - start,
            userNanoseconds: after.userNanoseconds - before.userNanoseconds,
            systemNanoseconds: after.systemNanoseconds - before.systemNanoseconds,
            contextSwitches: after.contextSwitches - before.contextSwitches,
            instructions: instructions,
            fairness: fairness
        )
    }
}

/// The samples of one benchmark, for each operation.
struct SampleLog {
    /// Picoseconds per operation, because many operations take a few nanoseconds.
    private(set) var times = Histogram()
    /// Nanoseconds per operation, by round.
    private(set) var rounds: [Double] = []
    private var values: [MetricName: [Double]] = [:]

    mutating func append(_ sample: Sample, operations: Int) {
        let share = 1 / Double(operations)
        times.record(Int((Double(sample.nanoseconds) * 1_000 * share).rounded()))
        rounds.append(Double(sample.nanoseconds) * share)
        append(.cpuUser, Double(sample.userNanoseconds) * share)
        append(.cpuSystem, Double(sample.systemNanoseconds) * share)
        append(.cpuTotal, Double(sample.userNanoseconds + sample.systemNanoseconds) * share)
        append(.contextSwitches, Double(sample.contextSwitches) * share)
        append(
            .parallelism,
            Double(sample.userNanoseconds + sample.systemNanoseconds) / Double(max(sample.nanoseconds, 1))
        )
        if let fairness = sample.fairness { append(.fairness, fairness) }
        if let instructions = sample.instructions { append(.instructions, Double(instructions) * share) }
    }

    mutating func appendAllocations(count: Double, bytes: Double) {
        append(.mallocCountTotal, count)
        append(.mallocBytesTotal, bytes)
    }

    private mutating func append(_ name: MetricName, _ value: Double) {
        values[name, default: []].append(value)
    }

    /// This one's time as a multiple of the other's, round by round.
    func ratios(to other: SampleLog) -> [Double] {
        zip(rounds, other.rounds).map { $0 / $1 }
    }

    var metrics: [MetricName: Metric] {
        var metrics = Dictionary(
            uniqueKeysWithValues: values.map { name, values in (name, Metric(unit: Self.unit(of: name), values: values))
            }
        )
        let time = Metric(picoseconds: times)
        metrics[.wallClock] = time
        metrics[.throughput] = Metric(throughputOf: time)
        return metrics
    }

    private static func unit(of name: MetricName) -> String {
        switch name {
        case .mallocBytesTotal: "B"
        case .mallocCountTotal, .contextSwitches, .instructions: "count"
        case .parallelism: "cores"
        case .fairness: "ratio"
        default: "ns"
        }
    }
}
