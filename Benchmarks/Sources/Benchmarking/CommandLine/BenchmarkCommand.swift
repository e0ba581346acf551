import Foundation

/// The command line of a program of benchmarks.
///
/// ```swift
/// @main
/// struct Bench {
///     static func main() async { await BenchmarkCommand(suites: [dispatchSuite, memorySuite]).main() }
/// }
/// ```
public struct BenchmarkCommand: Sendable {
    /// What can be measured.
    public let suites: [Suite]
    private let arguments: [String]
    private let baselines = BaselineStore()

    /// - Parameters:
    ///   - suites: what can be measured.
    ///   - arguments: the words after the program's name.
    public init(suites: [Suite], arguments: [String] = Array(CommandLine.arguments.dropFirst())) {
        // Before threads begin, because only those that begin later are counted.
        _ = InstructionCounter.shared.isAvailable
        self.suites = suites
        self.arguments = arguments
    }

    /// Does what the arguments ask for, and ends the process.
    public func main() async -> Never {
        // Off the main actor, to which every switch of executors would cost microseconds.
        exit(await Task.detached { await run() }.value)
    }

    /// Does what the arguments ask for.
    ///
    /// - Returns: 0 if all is well, 1 if a benchmark failed, 2 if the arguments are wrong, 4 if a limit is broken.
    @concurrent
    public func run() async -> Int32 {
        do {
            let arguments = try Arguments(arguments)
            return try await perform(arguments)
        } catch let error as ArgumentsError {
            complain("bench: \(error)\n\(arguments.isEmpty ? "" : "Try 'bench --help'.")")
            return 2
        } catch {
            complain("bench: a benchmark failed: \(error)")
            return 1
        }
    }

    private func perform(_ arguments: Arguments) async throws -> Int32 {
        switch arguments.command {
        case .help: print(Arguments.usage)
        case .list: for identity in identities where arguments.selects(identity) { print(identity) }
        case .run: try write(try await report(arguments), arguments)
        case .updateBaseline(let name):
            try baselines.save(try await report(arguments), as: name)
            complain("Kept as '\(name)' in \(baselines.folder.relativePath).")
        case .listBaselines: for name in baselines.names { print(name) }
        case .deleteBaseline(let name): try baselines.delete(name)
        case .compareBaseline(let name, let other): _ = try await compare(name, with: other, arguments)
        case .checkBaseline(let name, let other):
            return try await compare(name, with: other, arguments).rows.contains(where: \.isWorse) ? 4 : 0
        case .checkBudgets(let file, let callgrind): return try await checkBudgets(file, callgrind, arguments)
        case .report(let goals): try await writeResultsPage(goals, arguments)
        case .repeatOperations(let identity, let count): try await repeatOperations(of: identity, count)
        case .flameGraph(let input): try write(FlameGraph(perfScript: try text(of: input)).svg, to: arguments.output)
        }
        return 0
    }

    // MARK: Running

    private var identities: [String] {
        suites.flatMap { suite in
            suite.benchmarks.map { Comparison(suite: suite.name, benchmarks: []).identity(of: $0) }
        }
    }

    private func report(_ arguments: Arguments) async throws -> Report {
        try await report(isQuick: arguments.isQuick) { arguments.selects($0) }
    }

    private func report(isQuick: Bool, where selects: (String) -> Bool) async throws -> Report {
        let wanted = Set(identities.filter(selects))
        guard !wanted.isEmpty else {
            throw ArgumentsError("No benchmark has such a name; 'bench list' prints them all.")
        }
        let machine = Machine.current()
        let progress = Progress()
        let runner = Runner(suites: suites, isQuick: isQuick) { progress.show($0, done: $1, of: $2) }
        defer { progress.clear() }
        return Report(machine: machine, results: try await runner.run { wanted.contains($0) })
    }

    private func compare(_ name: String, with other: String?, _ arguments: Arguments) async throws -> BaselineComparison
    {
        let before = try baselines.load(name)
        let after = if let other { try baselines.load(other) } else { try await report(arguments) }
        let comparison = BaselineComparison(before: before, after: after, tolerance: arguments.tolerance)
        try write(comparison.text + "\n", to: arguments.output)
        return comparison
    }

    private func checkBudgets(_ path: String, _ callgrind: String?, _ arguments: Arguments) async throws -> Int32 {
        let file = try budgets(path)
        let report = try await report(isQuick: arguments.isQuick) { identity in
            file.budgets.contains { $0.needs(identity) }
        }
        var table = BudgetTable(file.budgets, in: report)
        if let callgrind {
            for budget in file.instructions ?? [] {
                let figure = try Callgrind(bench: callgrind).instructions(of: budget.benchmark)
                table.append(BudgetTable.Row(what: budget.what, limit: budget.atMost, figure: figure))
            }
        }
        try write(table.text + "\n", to: arguments.output)
        return table.areAllMet ? 0 : 4
    }

    private func writeResultsPage(_ goals: String, _ arguments: Arguments) async throws {
        let file = try budgets(goals)
        let report = try await report(arguments)
        let goals = BudgetTable(file.budgets, in: report).markdown
        try write(goals + "\n\n" + MarkdownFormat(report: report).text, to: arguments.output)
    }

    /// Does operations and nothing else, so that a profiler sees little of the harness.
    private func repeatOperations(of identity: String, _ count: Int) async throws {
        for suite in suites {
            let namer = Comparison(suite: suite.name, benchmarks: [])
            for benchmark in suite.benchmarks where namer.identity(of: benchmark) == identity {
                return try await benchmark.repeatOperations(count)
            }
        }
        throw ArgumentsError("There is no benchmark '\(identity)'; 'bench list' prints them all.")
    }

    // MARK: Files

    private func budgets(_ path: String) throws -> BudgetFile {
        do {
            return try JSONFormat.decode(BudgetFile.self, from: Data(try text(of: path).utf8))
        } catch let error as DecodingError {
            throw ArgumentsError("'\(path)' is not a file of budgets: \(error)")
        }
    }

    private func text(of path: String) throws -> String {
        guard let text = try? String(contentsOfFile: path, encoding: .utf8) else {
            throw ArgumentsError("'\(path)' cannot be read.")
        }
        return text
    }

    private func write(_ report: Report, _ arguments: Arguments) throws {
        var isFolder: ObjCBool = false
        if arguments.format == .hdr, let output = arguments.output,
            FileManager.default.fileExists(atPath: output, isDirectory: &isFolder), isFolder.boolValue
        {
            for result in report.results {
                guard let histogram = result.histogram else { continue }
                let name = result.identity.replacing("/", with: "-").replacing(" ", with: "_")
                try write(HDRFormat.text(of: histogram), to: "\(output)/\(name).hgrm")
            }
            return
        }
        try write(try arguments.format.text(of: report) + "\n", to: arguments.output)
    }

    private func write(_ text: String, to path: String?) throws {
        guard let path else { return print(text, terminator: "") }
        do {
            try Data(text.utf8).write(to: URL(fileURLWithPath: path))
        } catch {
            throw ArgumentsError("'\(path)' cannot be written: \(error.localizedDescription)")
        }
    }

    private func complain(_ text: String) {
        FileHandle.standardError.write(Data((text + "\n").utf8))
    }
}
