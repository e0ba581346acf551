/// A limit for a benchmark, or a goal.
///
/// The figure is one of these: a ratio to a baseline (`baseline`), a metric (`metric`, else the time), or the quotient
/// or difference of the metric and that of another benchmark (`reference`).
struct Budget: Codable, Sendable {
    /// A description of the limited figure; unique in its file.
    var what: String
    /// The name of the benchmark, with its suite.
    var benchmark: String
    var parameters: Parameters?
    /// The metric; the time if it is nil.
    var metric: MetricName?
    /// The percentile, p50 if it is nil. A ratio to a baseline has p25, p50 and p75 only.
    var percentile: String?
    /// The baseline of a ratio.
    var baseline: String?
    /// The benchmark whose figure divides this one's, or is subtracted from it.
    var reference: Reference?
    /// The parameter whose value divides the figure, such as the number of observers.
    var per: String?
    var atMost: Double
    /// The accepted difference, in percent, from the figure that the limit was made from. `thresholds update` renews
    /// limits with a tolerance.
    var tolerance: Double?

    struct Reference: Codable, Sendable {
        /// The name of the benchmark; the same benchmark if it is nil.
        var benchmark: String?
        /// The parameters; the same parameters if it is nil.
        var parameters: Parameters?
        /// The percentile; the same percentile if it is nil.
        var percentile: String?
        /// Whether the figure is the difference instead of the quotient.
        var isSubtracted: Bool?
    }

    /// The largest figure that meets the limit.
    ///
    /// Counts include occasional allocations of the runtime, which do not belong to the benchmark.
    var limitWithNoise: Double {
        guard reference == nil, baseline == nil else { return atMost }
        return switch metric {
        case .mallocCountTotal: atMost + 0.01
        case .mallocBytesTotal, .liveBytes: atMost + 0.5
        default: atMost
        }
    }

    // MARK: Which benchmarks have to run

    /// Whether the benchmark with that identity has to run. The results of a latency benchmark have their load among
    /// the parameters, and the benchmark does not.
    func needs(_ identity: String) -> Bool {
        identities.contains { $0 == identity || Self.withoutLoad($0) == identity }
    }

    private var identities: [String] {
        let own = BenchmarkResult(name: benchmark, parameters: parameters ?? [:], metrics: [:]).identity
        guard let reference else { return [own] }
        let other = BenchmarkResult(
            name: reference.benchmark ?? benchmark,
            parameters: reference.parameters ?? parameters ?? [:],
            metrics: [:]
        )
        return [own, other.identity]
    }

    /// An identity as `bench list` prints it.
    static func withoutLoad(_ identity: String) -> String {
        identity.split(separator: " ").filter { !$0.hasPrefix("load=") && !$0.hasPrefix("rate=") }.joined(
            separator: " "
        )
    }
}

extension Budget {
    /// Reads a budget, and rejects one with an unknown figure.
    init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        what = try container.decode(String.self, forKey: .what)
        benchmark = try container.decode(String.self, forKey: .benchmark)
        parameters = try container.decodeIfPresent(Parameters.self, forKey: .parameters)
        metric = try container.decodeIfPresent(MetricName.self, forKey: .metric)
        percentile = try container.decodeIfPresent(String.self, forKey: .percentile)
        baseline = try container.decodeIfPresent(String.self, forKey: .baseline)
        reference = try container.decodeIfPresent(Reference.self, forKey: .reference)
        per = try container.decodeIfPresent(String.self, forKey: .per)
        atMost = try container.decode(Double.self, forKey: .atMost)
        tolerance = try container.decodeIfPresent(Double.self, forKey: .tolerance)
        guard let problem else { return }
        let context = DecodingError.Context(codingPath: container.codingPath, debugDescription: "'\(what)': \(problem)")
        throw DecodingError.dataCorrupted(context)
    }

    /// The reason why the budget has no figure; nil if it has one.
    private var problem: String? {
        let known = ["p0", "p25", "p50", "p75", "p90", "p99", "p99.9", "p100"]
        for name in [percentile, reference?.percentile].compactMap(\.self) where !known.contains(name) {
            return "there is no percentile '\(name)'; there are \(known.joined(separator: ", "))."
        }
        if let tolerance, tolerance < 0 { return "the tolerance is negative." }
        guard baseline != nil else { return nil }
        if metric != nil {
            return "a ratio to a 'baseline' is one of times, or of bytes held; leave out 'metric', or use 'reference'."
        }
        if let percentile, !["p25", "p50", "p75"].contains(percentile) {
            return "a ratio to a 'baseline' has p25, p50 and p75, and not '\(percentile)'; use 'reference' for others."
        }
        if reference != nil { return "'baseline' and 'reference' exclude each other." }
        if per != nil { return "a ratio to a 'baseline' cannot be divided by a parameter." }
        return nil
    }
}

/// A file of limits or goals.
struct BudgetFile: Codable, Sendable {
    var budgets: [Budget]
    /// Limits for the instructions of an operation, as counted by valgrind.
    var instructions: [InstructionBudget]?

    struct InstructionBudget: Codable, Sendable {
        var what: String
        /// Name and parameters, as `bench list` prints them.
        var benchmark: String
        /// The number of operations to count; nil for the default of ``Callgrind``. Smaller for long operations.
        var operations: Int?
        var atMost: Double
        /// The accepted difference, in percent, from the figure that the limit was made from.
        var tolerance: Double?
    }

    /// The limits of times, or of ratios of times, that a report does not meet. Counts are the same in each run.
    func missedTimes(in report: Report) -> [Budget] {
        budgets.filter { budget in
            (budget.metric ?? .wallClock) == .wallClock && GoalTable([budget], in: report).rows[0].verdict == .missed
        }
    }

    /// Returns the text of a file with new limits, and all other text unchanged.
    ///
    /// - Parameter limits: The new value of `atMost` by the text of `what`, which precedes it in the file.
    static func text(_ text: String, updating limits: [String: Double]) throws(ArgumentsError) -> String {
        var updated = text
        for (what, limit) in limits {
            // The quoted text may contain escapes, so it is searched for in its JSON form.
            guard let name = (try? JSONFormat.text(of: [what]))?.dropFirst().dropLast(),
                let start = updated.firstRange(of: name),
                let match = updated[start.upperBound...].firstMatch(of: /"atMost"\s*:\s*(-?[0-9.eE+-]+)/),
                updated[start.upperBound..<match.range.lowerBound].firstRange(of: "\"what\"") == nil
            else { throw ArgumentsError("'\(what)' has no 'atMost' after its 'what' in the file.") }
            updated.replaceSubrange(match.1.startIndex..<match.1.endIndex, with: limitText(limit))
        }
        return updated
    }

    /// A limit with four digits, rounded up.
    static func limitText(_ limit: Double) -> String {
        var scale = 1.0
        while limit * scale < 1_000, scale < 1e6, limit > 0 { scale *= 10 }
        let rounded = (limit * scale - 1e-9).rounded(.up) / scale
        return rounded == rounded.rounded() ? String(Int(rounded)) : String(rounded)
    }
}
