/// Measures the waits of callers when operations arrive at fixed rates, for several rates up to saturation.
///
/// Each benchmark gets fractions of its own rate. A higher load would saturate it, and its latency would depend only on
/// the duration of the run.
struct LatencyRun {
    let comparison: Comparison
    let isQuick: Bool
    /// Whether to stop after the next load, with the results so far.
    var isInterrupted: @Sendable () -> Bool = { false }

    /// One benchmark, during its measurement.
    private struct Contender {
        let benchmark: Benchmark
        let callers: LatencyCallers
        let session: Benchmark.Session<Int>
        /// The back-to-back rate, in operations per second.
        var capacity = 0.0

        func rate(_ load: Double, of loads: LatencyLoads) -> Double {
            switch loads {
            case .fractions, .unlimited: capacity * load
            case .rates: load
            }
        }

        /// Offers a load for some time.
        func offer(_ load: Double, of loads: LatencyLoads, for nanoseconds: Int) async throws -> LatencyCallers.Slice {
            let rate = rate(load, of: loads)
            let operations = max(10, Int(rate * Double(nanoseconds) / 1e9))
            let interval = if case .unlimited = loads { 0.0 } else { 1e9 / rate }
            return try await callers.offer(operations, interval: interval, to: session)
        }

        func end() async throws {
            callers.end()
            try await session.tearDown()
        }
    }

    /// The result of one benchmark under one load.
    private struct Log {
        var latencies = LatencyCallers.reservedHistogram
        var operations = 0
        var nanoseconds = 0
        /// The nanoseconds of the operations if all had begun at their intended start.
        var schedule = 0
        /// The median latency of each round, in nanoseconds.
        var rounds: [Double] = []

        var attainedRate: Double { Double(operations) * 1e9 / Double(max(nanoseconds, 1)) }

        mutating func add(_ slice: LatencyCallers.Slice) {
            nanoseconds += slice.nanoseconds
            schedule += slice.schedule
            operations += slice.operations
            rounds.append(Double(slice.latencies.value(at: 0.5)) / 1_000)
            latencies.add(slice.latencies)
        }
    }

    func run() async throws -> [BenchmarkResult] {
        var contenders: [Contender] = []
        let results: [BenchmarkResult]
        do {
            results = try await measure(&contenders)
        } catch {
            for contender in contenders { try? await contender.end() }
            throw error
        }
        for contender in contenders { try await contender.end() }
        // By benchmark, then by load.
        return comparison.benchmarks.flatMap { benchmark in results.filter { $0.title == benchmark.name } }
    }

    private func measure(_ contenders: inout [Contender]) async throws -> [BenchmarkResult] {
        let loads = comparison.loads
        for benchmark in comparison.benchmarks {
            guard case .latency(_, let callers, let setUp) = benchmark.kind else { continue }
            let session = try await setUp()
            contenders.append(Contender(benchmark: benchmark, callers: LatencyCallers(callers), session: session))
            if case .rates = loads { continue }
            let capacity = try await capacity(of: contenders[contenders.count - 1])
            contenders[contenders.count - 1].capacity = capacity
        }
        let subject = comparison.benchmarks.first { !$0.baselines.isEmpty } ?? comparison.benchmarks[0]
        let rounds = isQuick ? 2 : 5
        let slice = subject.configuration.nanoseconds / rounds / (isQuick ? 4 : 1)

        var results: [BenchmarkResult] = []
        for load in loads.values where !isInterrupted() {
            var logs = contenders.map { _ in Log() }
            for round in 0..<rounds {
                for position in contenders.indices {
                    let index = (position + round) % contenders.count
                    logs[index].add(try await contenders[index].offer(load, of: loads, for: slice))
                }
            }
            results += self.results(contenders, logs, load, of: loads)
        }
        return results
    }

    /// The operations per second of the same callers without waiting for intended starts, as the median of five tries:
    /// for operations of a few nanoseconds reading the clock is part of it.
    private func capacity(of contender: Contender) async throws -> Double {
        let enough = isQuick ? 10_000_000 : 50_000_000
        var operations = 10
        var rates: [Double] = []
        while rates.count < 5 {
            let slice = try await contender.callers.offer(operations, interval: 0, to: contender.session)
            if slice.nanoseconds >= enough {
                rates.append(Double(slice.operations) * 1e9 / Double(slice.nanoseconds))
            } else {
                operations *= 2
            }
        }
        return Quantiles(rates)[0.5]
    }

    private func results(
        _ contenders: [Contender],
        _ logs: [Log],
        _ load: Double,
        of loads: LatencyLoads
    ) -> [BenchmarkResult] {
        var results = zip(contenders, logs).map { contender, log in
            var parameters = contender.benchmark.parameters
            if let parameter = loads.parameter { parameters[parameter] = ParameterValue(load) }
            let offered = contender.rate(load, of: loads)
            var result = BenchmarkResult(
                name: "\(comparison.suite)/\(contender.benchmark.name)",
                parameters: parameters,
                metrics: [
                    .latency: Metric(picoseconds: log.latencies),
                    .throughput: Metric(unit: "1/s", values: [log.attainedRate]),
                ],
                histogram: log.latencies,
                rounds: log.rounds
            )
            if case .unlimited = loads { return result }
            result.metrics[.offeredRate] = Metric(unit: "1/s", values: [offered])
            // By the schedule, because random operations do not arrive at exactly the rate.
            if Double(log.schedule) < 0.98 * Double(log.nanoseconds) {
                result.refusal = "attained \(Int(log.attainedRate)) of the \(Int(offered)) operations a second offered"
            }
            return result
        }
        for (index, contender) in contenders.enumerated() where results[index].refusal == nil {
            results[index].setRatios(
                contender.benchmark.baselines.compactMap { name in
                    guard let other = contenders.firstIndex(where: { $0.benchmark.name == name }),
                        results[other].refusal == nil
                    else { return nil }
                    return (name, Ratio(rounds: zip(logs[index].rounds, logs[other].rounds).map { $0 / $1 }))
                }
            )
        }
        return results
    }
}
