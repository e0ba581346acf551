/// Measures how long callers wait when operations come at fixed rates, for several rates up to saturation.
struct LatencyRun {
    let comparison: Comparison
    let isQuick: Bool

    private typealias Session = Benchmark.Session<Void>

    /// What came out of one benchmark under one load.
    private struct Log {
        var latencies = Histogram()
        var operations = 0
        var nanoseconds = 0
        /// The median latency of each round, in nanoseconds.
        var rounds: [Double] = []
    }

    func run() async throws -> [BenchmarkResult] {
        var sessions: [Session] = []
        var loads: [Double] = []
        for benchmark in comparison.benchmarks {
            guard case .latency(let own, let setUp) = benchmark.kind else { continue }
            sessions.append(try await setUp())
            if loads.isEmpty || !benchmark.baselines.isEmpty { loads = own }
        }
        // Baselines are offered the rates of the one that is compared with them.
        let subject = comparison.benchmarks.firstIndex { !$0.baselines.isEmpty } ?? 0
        let configuration = comparison.benchmarks[subject].configuration
        let capacity = try await capacity(of: sessions[subject])
        let rounds = isQuick ? 2 : 5
        let slice = configuration.nanoseconds / rounds / (isQuick ? 4 : 1)

        var results: [BenchmarkResult] = []
        for load in loads {
            let rate = capacity * load
            let operations = max(10, Int(rate * Double(slice) / 1e9))
            var logs = sessions.map { _ in Log() }
            for _ in 0..<rounds {
                for index in sessions.indices {
                    try await offer(operations, interval: 1e9 / rate, to: sessions[index], &logs[index])
                }
            }
            results += self.results(logs, load: load, rate: rate)
        }
        for session in sessions { try await session.tearDown() }
        // By benchmark, then by load.
        return comparison.benchmarks.flatMap { benchmark in results.filter { $0.title == benchmark.name } }
    }

    /// Operations a second that the same loop attains when none of them has to wait for its start: with operations of a
    /// few nanoseconds the looks at the clock are a part of that.
    private func capacity(of session: Session) async throws -> Double {
        let enough = isQuick ? 30_000_000 : 100_000_000
        var operations = 10
        while true {
            var log = Log()
            try await offer(operations, interval: 0, to: session, &log)
            if log.nanoseconds >= enough { return Double(operations) * 1e9 / Double(log.nanoseconds) }
            operations *= 2
        }
    }

    /// Has operations begin at a fixed rate, and counts each one's latency from the moment at which it should have begun,
    /// also if the one before was late.
    private func offer(_ operations: Int, interval: Double, to session: Session, _ log: inout Log) async throws {
        var latencies = Histogram()
        let start = MonotonicClock.now
        var now = start
        for number in 0..<operations {
            let intended = start + Int(Double(number) * interval)
            if now < intended { try await Self.wait(until: intended) }
            try await session.run(())
            now = MonotonicClock.now
            latencies.record((now - intended) * 1_000)
        }
        log.nanoseconds += now - start
        log.operations += operations
        log.rounds.append(Double(latencies.value(at: 0.5)) / 1_000)
        log.latencies.add(latencies)
    }

    /// Waits, and for the last part of the time at the clock, because a sleep ends late.
    private static func wait(until intended: Int) async throws {
        let early = 300_000
        while true {
            let remaining = intended - MonotonicClock.now
            if remaining <= 0 { return }
            if remaining > 2 * early { try await Task.sleep(for: .nanoseconds(remaining - early)) }
        }
    }

    private func results(_ logs: [Log], load: Double, rate: Double) -> [BenchmarkResult] {
        zip(comparison.benchmarks, logs).map { benchmark, log in
            var parameters = benchmark.parameters
            parameters["load"] = .real(load)
            let attained = Double(log.operations) * 1e9 / Double(max(log.nanoseconds, 1))
            var result = BenchmarkResult(
                name: "\(comparison.suite)/\(benchmark.name)",
                parameters: parameters,
                metrics: [
                    .latency: Metric(picoseconds: log.latencies),
                    .throughput: Metric(unit: "1/s", values: [attained]),
                    .offeredRate: Metric(unit: "1/s", values: [rate]),
                ],
                histogram: log.latencies,
                rounds: log.rounds
            )
            result.setRatios(
                benchmark.baselines.compactMap { name in
                    guard let index = comparison.benchmarks.firstIndex(where: { $0.name == name }) else { return nil }
                    return (name, Ratio(rounds: zip(log.rounds, logs[index].rounds).map { $0 / $1 }))
                }
            )
            return result
        }
    }
}
