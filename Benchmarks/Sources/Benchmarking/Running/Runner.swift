/// Runs benchmarks, and collects their results.
public struct Runner: Sendable {
    /// The available suites.
    public let suites: [Suite]
    /// Whether to measure only briefly.
    public let isQuick: Bool
    /// Called before each comparison, with its benchmarks, the number of finished comparisons, and their total number.
    public let onProgress: @Sendable (_ identities: [String], _ done: Int, _ all: Int) -> Void

    /// - Parameters:
    ///   - suites: The available suites.
    ///   - isQuick: Whether to measure only briefly.
    ///   - onProgress: Called before each comparison, with its benchmarks, the number of finished comparisons, and
    ///     their total number.
    public init(
        suites: [Suite],
        isQuick: Bool = false,
        onProgress: @escaping @Sendable (_ identities: [String], _ done: Int, _ all: Int) -> Void = { _, _, _ in }
    ) {
        self.suites = suites
        self.isQuick = isQuick
        self.onProgress = onProgress
    }

    /// Runs all selected benchmarks, and those that they are compared with.
    ///
    /// - Parameters:
    ///   - isSelected: Whether the benchmark with that identity is selected: `suite/name parameter=value …`.
    ///   - isInterrupted: Called regularly with the results so far; returns whether to stop.
    /// - Returns: The results in the order of the declarations. If a benchmark throws, it and the compared ones are
    ///   results without figures, with the reason; the others are run.
    @concurrent
    public func run(
        where isSelected: @Sendable (_ identity: String) -> Bool = { _ in true },
        isInterrupted: @escaping @Sendable () -> Bool = { false }
    ) async -> [BenchmarkResult] {
        let comparisons = suites.flatMap { Comparison.all(of: $0, where: isSelected) }
        var results: [BenchmarkResult] = []
        for (index, comparison) in comparisons.enumerated() where !isInterrupted() {
            onProgress(comparison.benchmarks.map(comparison.identity(of:)), index, comparisons.count)
            do {
                results += try await run(comparison, isInterrupted)
            } catch {
                results += comparison.failedResults("failed: \(error)")
            }
        }
        return results
    }

    /// All benchmarks of a comparison are of one kind, because a ratio of two kinds would be meaningless.
    private func run(
        _ comparison: Comparison,
        _ isInterrupted: @escaping @Sendable () -> Bool
    ) async throws -> [BenchmarkResult] {
        switch comparison.benchmarks.first?.kind {
        case .throughput:
            try await ThroughputRun(comparison: comparison, isQuick: isQuick, isInterrupted: isInterrupted).run()
        case .latency:
            try await LatencyRun(comparison: comparison, isQuick: isQuick, isInterrupted: isInterrupted).run()
        case .memory: try await MemoryRun(comparison: comparison, isQuick: isQuick).run()
        case nil: []
        }
    }
}
