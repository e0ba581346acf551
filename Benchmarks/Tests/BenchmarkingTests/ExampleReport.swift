@testable import Benchmarking

extension Machine {
    /// A machine that does not depend on where the tests run.
    static let example = Machine(
        processor: "Example, 3 GHz",
        cores: 2,
        system: "Debian",
        kernel: "Linux 6.1",
        compiler: "Swift version 6.3, -c release",
        commit: "abc1234-dirty",
        allocator: "jemalloc",
        clockCost: 25,
        countsAllocations: true,
        countsInstructions: false
    )
}

extension Report {
    /// Four results: one with all parts, its baseline, an unmeasured one and a refused one.
    static var example: Report {
        let parameters: Parameters = ["producers": 8, "load": 0.5, "kind": "a & b"]
        var fast = BenchmarkResult(example: "suite/fast \"one\"", parameters, rounds: [10, 20, 30])
        fast.metrics[.mallocCountTotal] = Metric(unit: "count", values: [2])
        fast.setRatios([("slow", Ratio(rounds: [0, 0.25, 0.5, 0.75, 1]))])
        var slow = BenchmarkResult(example: "suite/slow", parameters, rounds: [10, 20, 30])
        slow.histogram = nil
        let unknown = BenchmarkResult(name: "suite/unknown", parameters: [:], metrics: [:])
        var refused = BenchmarkResult(example: "suite/refused", [:], rounds: [77])
        refused.refusal = "a sample of 3 operations took 5 ns"
        return Report(results: [fast, slow, unknown, refused])
    }

    /// A report of the example machine.
    init(results: [BenchmarkResult]) {
        self.init(
            machine: .example,
            load: MachineLoad(loadBefore: 0.5, otherProcesses: 0.01, stolen: 0),
            results: results
        )
        date = "2026-01-02T03:04:05Z"
    }
}

extension BenchmarkResult {
    /// A result of a throughput benchmark whose rounds took that many nanoseconds per operation.
    init(example name: String, _ parameters: Parameters = [:], rounds: [Double]) {
        var histogram = Histogram()
        for round in rounds { histogram.record(Int(round * 1_000)) }
        self.init(
            name: name,
            parameters: parameters,
            metrics: [.wallClock: Metric(unit: "ns", values: rounds)],
            histogram: histogram,
            rounds: rounds
        )
        operationsPerSample = 1_000
    }

    /// The result, compared with another one of the same rounds.
    func compared(with other: BenchmarkResult) -> BenchmarkResult {
        var result = self
        result.setRatios([(other.title, Ratio(rounds: zip(rounds, other.rounds).map { $0 / $1 }))])
        return result
    }

    /// The result with another metric.
    func with(_ name: MetricName, _ unit: String, _ values: [Double]) -> BenchmarkResult {
        var result = self
        result.metrics[name] = Metric(unit: unit, values: values)
        return result
    }

    /// The result, refused.
    func refused(_ why: String, keepsRounds: Bool = true) -> BenchmarkResult {
        var result = self
        result.refusal = why
        if !keepsRounds { result.rounds = [] }
        return result
    }
}
