import Foundation

/// All results of a run, and their origin.
public struct Report: Sendable, Codable {
    /// The machine of the measurement.
    public var machine: Machine
    /// The other load of the machine meanwhile.
    public var load: MachineLoad
    /// The date of the measurement, as ISO 8601.
    public var date: String
    /// Whether the run ended before all was measured.
    public var isPartial: Bool
    /// In the order of their declaration.
    public var results: [BenchmarkResult]

    /// The results of a run that ends now.
    public init(machine: Machine, load: MachineLoad, isPartial: Bool = false, results: [BenchmarkResult]) {
        self.machine = machine
        self.load = load
        date = Date().formatted(.iso8601)
        self.isPartial = isPartial
        self.results = results
    }

    /// Whether a benchmark has failed.
    public var hasFailures: Bool { results.contains { $0.hasFailed == true } }

    /// Merges the reports of parts of a run. The last one of a repeated result counts.
    ///
    /// - Parameter parts: At least one. The machine and the date are those of the first one, the commits those of all,
    ///   and the load of the machine is their mean.
    init(joining parts: [Report]) {
        self = parts[0]
        for part in parts.dropFirst() {
            for result in part.results where self.result(result.name, result.parameters) == nil {
                results.append(result)
            }
            replaceResults(by: part)
        }
        var commits: [String] = []
        for part in parts where !commits.contains(part.machine.commit) { commits.append(part.machine.commit) }
        machine.commit = commits.joined(separator: ", ")
        func mean(_ path: KeyPath<MachineLoad, Double?>) -> Double? {
            let values = parts.compactMap { $0.load[keyPath: path] }
            return values.isEmpty ? nil : values.reduce(0, +) / Double(values.count)
        }
        load.otherProcesses = mean(\.otherProcesses)
        load.stolen = mean(\.stolen)
    }

    /// Replaces the results of the same benchmarks by those of another run.
    mutating func replaceResults(by other: Report) {
        isPartial = isPartial || other.isPartial
        for index in results.indices {
            if let result = other.result(results[index].name, results[index].parameters) { results[index] = result }
        }
    }

    /// The names of the suites, in order.
    var suites: [String] {
        var seen: Set<String> = []
        return results.map(\.suite).filter { seen.insert($0).inserted }
    }

    /// The result of a benchmark.
    func result(_ name: String, _ parameters: Parameters) -> BenchmarkResult? {
        results.first { $0.name == name && $0.parameters == parameters }
    }
}
