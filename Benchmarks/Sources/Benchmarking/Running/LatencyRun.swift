/// Measures how long callers wait when operations come at fixed rates, for several rates up to saturation.
///
/// Each benchmark is offered fractions of what it attains itself. Offered more than that it would be saturated, and its
/// latency would tell how long the run was, and nothing else.
struct LatencyRun {
    let comparison: Comparison
    let isQuick: Bool
    /// Whether to stop after the next load, with what there is.
    var isInterrupted: @Sendable () -> Bool = { false }

    /// One benchmark, while it is measured.
    private struct Contender {
        let benchmark: Benchmark
        let callers: LatencyCallers
        let session: Benchmark.Session<Void>
        /// Operations a second that it attains back to back.
        var capacity = 0.0

        func rate(_ load: Double, of loads: LatencyLoads) -> Double {
            switch loads {
            case .fractions: capacity * load
            case .rates: load
            }
        }
    }

    /// What came out of one benchmark under one load.
    private struct Log {
        var latencies = LatencyCallers.reservedHistogram
        var operations = 0
        var nanoseconds = 0
        /// How many nanoseconds the operations would have taken if all had begun when they should.
        var schedule = 0
        /// The median latency of each round, in nanoseconds.
        var rounds: [Double] = []

        var attainedRate: Double { Double(operations) * 1e9 / Double(max(nanoseconds, 1)) }

        mutating func add(_ slice: LatencyCallers.Slice) {
            nanoseconds += slice.nanoseconds
            schedule += slice.schedule
            operations += slice.latencies.count
            rounds.append(Double(slice.latencies.value(at: 0.5)) / 1_000)
            latencies.add(slice.latencies)
        }
    }

    func run() async throws -> [BenchmarkResult] {
        var contenders: [Contender] = []
        var loads = LatencyLoads.fractions([])
        for benchmark in comparison.benchmarks {
            guard case .latency(let own, let callers, let setUp) = benchmark.kind else { continue }
            var contender = Contender(
                benchmark: benchmark,
                callers: LatencyCallers(callers),
                session: try await setUp()
            )
            if case .fractions = own { contender.capacity = try await capacity(of: contender) }
            contenders.append(contender)
            if loads.values.isEmpty || !benchmark.baselines.isEmpty { loads = own }
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
                    let contender = contenders[index]
                    let rate = contender.rate(load, of: loads)
                    let operations = max(10, Int(rate * Double(slice) / 1e9))
                    logs[index].add(
                        try await contender.callers.offer(operations, interval: 1e9 / rate, to: contender.session)
                    )
                }
            }
            results += self.results(contenders, logs, load, of: loads)
        }
        for contender in contenders { try await contender.session.tearDown() }
        // By benchmark, then by load.
        return comparison.benchmarks.flatMap { benchmark in results.filter { $0.title == benchmark.name } }
    }

    /// Operations a second that the same callers attain when none of them has to wait for its start, as the median of
    /// five tries: with operations of a few nanoseconds the looks at the clock are a part of that.
    private func capacity(of contender: Contender) async throws -> Double {
        let enough = isQuick ? 10_000_000 : 50_000_000
        var operations = 10
        var rates: [Double] = []
        while rates.count < 5 {
            let slice = try await contender.callers.offer(operations, interval: 0, to: contender.session)
            if slice.nanoseconds >= enough {
                rates.append(Double(operations) * 1e9 / Double(slice.nanoseconds))
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
            parameters[loads.parameter] = ParameterValue(load)
            let offered = contender.rate(load, of: loads)
            var result = BenchmarkResult(
                name: "\(comparison.suite)/\(contender.benchmark.name)",
                parameters: parameters,
                metrics: [
                    .latency: Metric(picoseconds: log.latencies),
                    .throughput: Metric(unit: "1/s", values: [log.attainedRate]),
                    .offeredRate: Metric(unit: "1/s", values: [offered]),
                ],
                histogram: log.latencies,
                rounds: log.rounds
            )
            // By the schedule, because operations that come at random do not come at exactly the rate.
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
