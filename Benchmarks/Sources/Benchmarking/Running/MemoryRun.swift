/// Counts the bytes that objects hold.
struct MemoryRun {
    let comparison: Comparison

    func run() async throws -> [BenchmarkResult] {
        var results: [BenchmarkResult] = []
        // Kept until all are counted: tasks may release the objects later, and would be counted with what comes next.
        var sessions: [Benchmark.Session<Int>] = []
        for benchmark in comparison.benchmarks {
            guard case .memory(let count, let setUp) = benchmark.kind else { continue }
            // The first one pays for what the process makes once.
            let (first, counted) = (try await setUp(), try await setUp())
            sessions += [first, counted]
            try await first.run(count)
            let counts = try await AllocationCounter.count { try await counted.run(count) }
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
        for session in sessions { try await session.tearDown() }
        // The next ones to be counted begin when those tasks are through.
        if !sessions.isEmpty { try await Task.sleep(for: .milliseconds(100)) }
        addRatios(to: &results)
        return results
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
