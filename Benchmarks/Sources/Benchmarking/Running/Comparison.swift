/// Benchmarks of one suite that are compared with each other, directly or through a common baseline. They run
/// interleaved: A B C A B C …, so that other load of the machine affects all of them.
struct Comparison: Sendable {
    let suite: String
    private(set) var benchmarks: [Benchmark]

    /// The name of a benchmark in reports and filters.
    func identity(of benchmark: Benchmark) -> String {
        let name = "\(suite)/\(benchmark.name)"
        return benchmark.parameters.isEmpty ? name : "\(name) \(benchmark.parameters.text)"
    }

    /// The loads of latency benchmarks: those of the main benchmark.
    var loads: LatencyLoads {
        let all = benchmarks.compactMap { benchmark -> (LatencyLoads, isCompared: Bool)? in
            guard case .latency(let loads, _, _) = benchmark.kind else { return nil }
            return (loads, !benchmark.baselines.isEmpty)
        }
        return (all.last(where: \.isCompared) ?? all.first)?.0 ?? .unlimited
    }

    /// Results without figures, as many as there would be otherwise.
    ///
    /// - Parameter reason: The reason for missing figures.
    func failedResults(_ reason: String) -> [BenchmarkResult] {
        benchmarks.flatMap { benchmark in
            loads.values.map { load in
                var parameters = benchmark.parameters
                if let name = loads.parameter { parameters[name] = ParameterValue(load) }
                var result = BenchmarkResult(
                    name: "\(suite)/\(benchmark.name)",
                    parameters: parameters,
                    metrics: [:]
                )
                (result.refusal, result.hasFailed) = (reason, true)
                return result
            }
        }
    }

    /// Divides the selected benchmarks of a suite, with their baselines, into comparisons, in the order of their
    /// declaration.
    static func all(of suite: Suite, where isSelected: (_ identity: String) -> Bool) -> [Comparison] {
        let whole = Comparison(suite: suite.name, benchmarks: suite.benchmarks)
        let selected = suite.benchmarks.filter { isSelected(whole.identity(of: $0)) }
        var needed = Set(selected.map(\.key))
        for benchmark in selected { needed.formUnion(benchmark.baselineKeys) }

        var comparisons: [Comparison] = []
        for benchmark in suite.benchmarks where needed.contains(benchmark.key) {
            let isRelated = { (other: Benchmark) in
                other.baselineKeys.contains(benchmark.key) || benchmark.baselineKeys.contains(other.key)
                    || !Set(other.baselineKeys).isDisjoint(with: benchmark.baselineKeys)
            }
            var merged = Comparison(suite: suite.name, benchmarks: [])
            comparisons.removeAll { comparison in
                guard comparison.benchmarks.contains(where: isRelated) else { return false }
                merged.benchmarks += comparison.benchmarks
                return true
            }
            merged.benchmarks.append(benchmark)
            comparisons.append(merged)
        }
        return comparisons
    }
}

extension Benchmark {
    var key: Suite.Key { Suite.Key(name: name, parameters: parameters) }

    var baselineKeys: [Suite.Key] { baselines.map { Suite.Key(name: $0, parameters: parameters) } }
}
