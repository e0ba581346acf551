/// A limit to what a benchmark may cost, or a goal for it.
struct Budget: Codable, Sendable {
    /// What is limited, in words.
    var what: String
    /// The name of the benchmark, with its suite.
    var benchmark: String
    var parameters: Parameters?
    /// What is looked at; the ratio to `baseline` if that alone is given, or else the time.
    var metric: MetricName?
    /// Which percentile is looked at, p50 if nothing is said.
    var percentile: String?
    /// The baseline, for a ratio.
    var baseline: String?
    /// The benchmark whose figure this one's is divided by, or that is subtracted from it.
    var reference: Reference?
    /// The parameter by whose value the figure is divided, such as the number of observers.
    var per: String?
    var atMost: Double

    struct Reference: Codable, Sendable {
        /// The same benchmark if nothing is said.
        var benchmark: String?
        /// The same parameters if nothing is said.
        var parameters: Parameters?
        /// The same percentile if nothing is said.
        var percentile: String?
        /// Whether the difference counts and not the quotient.
        var isSubtracted: Bool?
    }

    /// The figure, or nil if the report does not have it.
    func figure(in report: Report) -> Double? {
        guard let result = report.result(benchmark, parameters ?? [:]) else { return nil }
        if let baseline { return result.ratios?[baseline]?.p50 }
        guard var figure = value(of: result, percentile) else { return nil }
        if let reference {
            let other = report.result(reference.benchmark ?? benchmark, reference.parameters ?? parameters ?? [:])
            guard let other, let value = value(of: other, reference.percentile ?? percentile) else { return nil }
            figure = reference.isSubtracted == true ? figure - value : figure / value
        }
        if let per {
            guard let divisor = result.parameters[per]?.number else { return nil }
            figure /= divisor
        }
        return figure
    }

    private func value(of result: BenchmarkResult, _ percentile: String?) -> Double? {
        let metric = metric.map { result.metrics[$0] } ?? result.time
        return metric?.percentile(percentile ?? "p50")
    }

    /// Which benchmarks have to run: it and its reference.
    var identities: [String] {
        let own = BenchmarkResult(name: benchmark, parameters: parameters ?? [:], metrics: [:])
        guard let reference else { return [own.identity] }
        let other = BenchmarkResult(
            name: reference.benchmark ?? benchmark,
            parameters: reference.parameters ?? parameters ?? [:],
            metrics: [:]
        )
        return [own.identity, other.identity]
    }

    /// Whether the benchmark of that identity has to run; one of latencies has its load among the parameters of its
    /// results, but not of its own.
    func needs(_ identity: String) -> Bool {
        identities.contains { $0 == identity || Self.withoutLoad($0) == identity }
    }

    private static func withoutLoad(_ identity: String) -> String {
        identity.split(separator: " ").filter { !$0.hasPrefix("load=") }.joined(separator: " ")
    }
}

/// A file of limits or goals.
struct BudgetFile: Codable, Sendable {
    var budgets: [Budget]
    /// Limits to the instructions of an operation, which valgrind counts.
    var instructions: [InstructionBudget]?

    struct InstructionBudget: Codable, Sendable {
        var what: String
        /// Name and parameters, as `bench list` prints them.
        var benchmark: String
        var atMost: Double
    }
}
