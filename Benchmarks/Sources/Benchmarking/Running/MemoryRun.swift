/// Counts the bytes that objects hold.
struct MemoryRun {
    let comparison: Comparison

    func run() async throws -> [BenchmarkResult] {
        var results: [BenchmarkResult] = []
        for benchmark in comparison.benchmarks {
            guard case .memory(let count, let setUp) = benchmark.kind else { continue }
            // The first time pays for what the process makes once.
            _ = try await measure(count, setUp)
            let counts = try await measure(count, setUp)
            var metrics: [MetricName: Metric] = [:]
            if let counts {
                metrics[.liveBytes] = Metric(unit: "B", values: [Double(counts.liveBytes) / Double(count)])
                metrics[.mallocCountTotal] = Metric(unit: "count", values: [Double(counts.allocations) / Double(count)])
            }
            results.append(
                BenchmarkResult(
                    name: "\(comparison.suite)/\(benchmark.name)",
                    parameters: benchmark.parameters,
                    metrics: metrics
                )
            )
        }
        addRatios(to: &results)
        return results
    }

    private func measure(
        _ count: Int,
        _ setUp: @Sendable () async throws -> Benchmark.Session<Int>
    ) async throws -> AllocationCounter.Counts? {
        let session = try await setUp()
        let counts = try await AllocationCounter.count { try await session.run(count) }
        try await session.tearDown()
        return counts
    }

    private func addRatios(to results: inout [BenchmarkResult]) {
        for (index, benchmark) in comparison.benchmarks.enumerated() where index < results.count {
            guard let bytes = results[index].metrics[.liveBytes]?.p50 else { continue }
            results[index].setRatios(
                benchmark.baselines.compactMap { name in
                    let other = results.first { $0.title == name }?.metrics[.liveBytes]?.p50
                    return other.map { (name, Ratio(rounds: [bytes / $0])) }
                }
            )
        }
    }
}
