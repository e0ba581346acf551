/// Counts the bytes of objects: by the difference that the same number of further objects makes, which excludes
/// one-time costs.
struct MemoryRun {
    let comparison: Comparison
    let isQuick: Bool

    /// The number of counts of each.
    private var repetitions: Int { isQuick ? 1 : 3 }

    init(comparison: Comparison, isQuick: Bool) {
        self.comparison = comparison
        self.isQuick = isQuick
    }

    func run() async throws -> [BenchmarkResult] {
        // Retained until all are counted: tasks may release the objects later, and would be counted with later ones.
        var sessions: [Benchmark.Session<Int>] = []
        var results: [BenchmarkResult]
        do {
            results = try await count(&sessions)
        } catch {
            for session in sessions { try? await session.tearDown() }
            throw error
        }
        for session in sessions { try await session.tearDown() }
        // The next ones are counted after those tasks have ended.
        if !sessions.isEmpty { try await Task.sleep(for: .milliseconds(100)) }
        addRatios(to: &results)
        return results
    }

    private func count(_ sessions: inout [Benchmark.Session<Int>]) async throws -> [BenchmarkResult] {
        var results: [BenchmarkResult] = []
        for benchmark in comparison.benchmarks {
            guard case .memory(let count, let setUp) = benchmark.kind else { continue }
            var bytes: [Double] = []
            var blocks: [Double] = []
            for repetition in 0...repetitions {
                guard let few = try await counts(of: count, setUp, &sessions),
                    let many = try await counts(of: 2 * count, setUp, &sessions)
                else { break }
                // The first time includes the one-time costs of the process.
                guard repetition > 0 else { continue }
                bytes.append(Double(many.liveBytes - few.liveBytes) / Double(count))
                blocks.append(Double(many.liveBlocks - few.liveBlocks) / Double(count))
            }
            var metrics: [MetricName: Metric] = [:]
            if !bytes.isEmpty {
                metrics[.liveBytes] = Metric(unit: "B", values: bytes)
                metrics[.liveBlocks] = Metric(unit: "count", values: blocks)
            }
            results.append(
                BenchmarkResult(
                    name: "\(comparison.suite)/\(benchmark.name)",
                    parameters: benchmark.parameters,
                    metrics: metrics
                )
            )
        }
        return results
    }

    private func counts(
        of count: Int,
        _ setUp: @Sendable () async throws -> Benchmark.Session<Int>,
        _ sessions: inout [Benchmark.Session<Int>]
    ) async throws -> AllocationCounter.Counts? {
        let session = try await setUp()
        sessions.append(session)
        session.prepare(count)
        return try await AllocationCounter.count { _ = try await session.run(count) }
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
