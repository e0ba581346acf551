/// Runs benchmarks, and collects their results.
public struct Runner: Sendable {
    /// The suites that there are.
    public let suites: [Suite]
    /// Whether to look only briefly.
    public let isQuick: Bool
    /// Called before each comparison, with the benchmarks in it, how many comparisons are done, and how many there are.
    public let onProgress: @Sendable (_ identities: [String], _ done: Int, _ all: Int) -> Void

    /// - Parameters:
    ///   - suites: the suites that there are.
    ///   - isQuick: whether to look only briefly.
    ///   - onProgress: called before each comparison, with the benchmarks in it, how many comparisons are done, and how
    ///     many there are.
    public init(
        suites: [Suite],
        isQuick: Bool = false,
        onProgress: @escaping @Sendable (_ identities: [String], _ done: Int, _ all: Int) -> Void = { _, _, _ in }
    ) {
        self.suites = suites
        self.isQuick = isQuick
        self.onProgress = onProgress
    }

    /// Runs all benchmarks that are selected, and those that they are compared with.
    ///
    /// - Parameters:
    ///   - isSelected: whether the benchmark of that identity is wanted: `suite/name parameter=value …`.
    ///   - isInterrupted: asked now and then whether to stop, with what was measured so far.
    /// - Returns: the results in the order in which the benchmarks were declared. If a benchmark throws, it and those
    ///   that it is compared with are results without figures, which say why; the others are run.
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

    /// All benchmarks of a comparison are of one kind, because a ratio of two kinds would mean nothing.
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
