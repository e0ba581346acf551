/// A set of benchmarks that refer to each other by name.
public struct Suite: Sendable {
    /// The name of the suite: the part before the slash in reports.
    public let name: String
    /// The benchmarks, in the order in which they are reported.
    public let benchmarks: [Benchmark]

    /// - Parameters:
    ///   - name: The name of the suite.
    ///   - benchmarks: The benchmarks; a missing baseline is a programming error.
    public init(_ name: String, _ benchmarks: [Benchmark]) {
        self.name = name
        self.benchmarks = benchmarks
        var byKey: [Key: Benchmark] = [:]
        for benchmark in benchmarks {
            let twin = byKey.updateValue(benchmark, forKey: benchmark.key)
            precondition(
                twin == nil,
                "Suite \(name) has two benchmarks '\(benchmark.name) \(benchmark.parameters.text)'."
            )
        }
        for benchmark in benchmarks {
            for key in benchmark.baselineKeys {
                precondition(
                    byKey[key]?.kind.name == benchmark.kind.name,
                    """
                    Suite \(name) has no \(benchmark.kind.name) benchmark '\(key.name) \(key.parameters.text)' to compare \
                    '\(benchmark.name)' with.
                    """
                )
            }
        }
    }

    /// The identity of a benchmark.
    struct Key: Hashable {
        let name: String
        let parameters: Parameters
    }
}
