import Foundation

/// The command line of a benchmark program.
///
/// ```swift
/// @main
/// struct Bench {
///     static func main() async { await BenchmarkCommand(suites: [dispatchSuite, memorySuite]).main() }
/// }
/// ```
public struct BenchmarkCommand: Sendable {
    /// The available suites.
    public let suites: [Suite]
    private let words: [String]
    private let baselines: BaselineStore
    private let pagesCommand: String

    /// Creates a command.
    ///
    /// - Parameters:
    ///   - suites: The available suites.
    ///   - arguments: The words after the program's name.
    ///   - pagesCommand: The command that writes the pages of results, named in each of them.
    public init(
        suites: [Suite],
        arguments: [String] = Array(CommandLine.arguments.dropFirst()),
        pagesCommand: String = "Perf/results"
    ) {
        self.init(suites: suites, arguments: arguments, baselines: BaselineStore(), pagesCommand: pagesCommand)
    }

    init(suites: [Suite], arguments: [String], baselines: BaselineStore, pagesCommand: String = "Perf/results") {
        // The counter counts only threads that begin later.
        _ = InstructionCounter.shared.isAvailable
        self.suites = suites
        words = arguments
        self.baselines = baselines
        self.pagesCommand = pagesCommand
    }

    /// Runs the command, and ends the process.
    public func main() async -> Never {
        // Each switch to the main actor would cost microseconds.
        exit(await Task.detached { await run() }.value)
    }

    /// Runs the command.
    ///
    /// - Returns: The exit status: 0 success, 1 a benchmark failed or machines differ, 2 a regression or a broken
    ///   limit, 4 an improvement beyond the tolerance, 5 no such baseline, 64 wrong arguments, 130 interrupted.
    @concurrent
    public func run() async -> Int32 {
        do {
            return try await perform(try Arguments(words)).rawValue
        } catch let error as ArgumentsError {
            complain("bench: \(error)\n\(words.isEmpty ? "" : "Try 'bench --help'.")")
            return ExitStatus.usage.rawValue
        } catch let error as MissingBaseline {
            complain("bench: \(error)")
            return ExitStatus.noBaseline.rawValue
        } catch {
            complain("bench: a benchmark failed: \(error)")
            return ExitStatus.failure.rawValue
        }
    }

    /// The exit statuses, those of the package-benchmark plug-in where it has them.
    private enum ExitStatus: Int32 {
        case success = 0
        case failure = 1
        case regression = 2
        case improvement = 4
        case noBaseline = 5
        /// `EX_USAGE` of sysexits.h.
        case usage = 64
        case interrupted = 130
    }

    private func perform(_ arguments: Arguments) async throws -> ExitStatus {
        let output = Output(arguments)
        switch arguments.command {
        case .help: print(Arguments.usage)
        case .list: for identity in identities where arguments.selects(identity) { print(identity) }
        case .run:
            let report = try await report(arguments)
            try output.write(report)
            return status(of: report)
        case .listBaselines: for name in baselines.names { print(name) }
        case .readBaselines(let names): for name in names { try output.write(try baselines.load(name)) }
        case .updateBaseline(let name): return try await updateBaseline(name, arguments)
        case .deleteBaselines(let names): for name in names { try baselines.delete(name) }
        case .compareBaseline(let name, let other), .checkBaseline(let name, let other):
            return try await compareBaseline(name, other, arguments, output)
        case .readThresholds: try output.write(readableLimits(try BudgetFile.read(arguments.limitsPath)))
        case .checkThresholds, .updateThresholds: return try await thresholds(arguments, output)
        case .compareRuns(let files):
            let runs = PairedRuns(try files.map(Self.readReport), against: try arguments.against.map(Self.readReport))
            try output.write(runs.text)
            return runs.isSlower ? .regression : .success
        case .report(let goals): return try await writePages(goals, arguments)
        case .table(let pages): return try updateTables(in: pages, arguments)
        case .pictures(let definitions): return try drawPictures(definitions, arguments)
        case .repeatOperations(let identity, let count): try await repeatOperations(of: identity, count)
        case .flameGraph(let input): try output.write(FlameGraph(perfScript: try TextFile.read(input)).svg)
        }
        return .success
    }

    // MARK: Running

    private var identities: [String] {
        suites.flatMap { suite in
            suite.benchmarks.map { Comparison(suite: suite.name, benchmarks: []).identity(of: $0) }
        }
    }

    /// The report of a run, or the one named by `--from`.
    private func report(_ arguments: Arguments) async throws -> Report {
        if let report = try Self.readReport(arguments.sources) { return report }
        return try await report(arguments) { arguments.selects($0) }
    }

    private func report(_ arguments: Arguments, where selects: (String) -> Bool) async throws -> Report {
        let wanted = Set(identities.filter(selects))
        guard !wanted.isEmpty else {
            throw ArgumentsError("No benchmark has such a name; 'bench list' prints all names.")
        }
        let machine = Machine.current()
        let meter = MachineLoadMeter()
        let progress = Progress(isWanted: arguments.showsProgress)
        defer { progress.clear() }
        let interruption = Interruption()
        let runner = Runner(suites: suites, isQuick: arguments.isQuick) { progress.show($0, done: $1, of: $2) }
        var results = await runner.run(where: { wanted.contains($0) }, isInterrupted: { Interruption.isRequested })
        let isPartial = Interruption.isRequested
        _ = consume interruption
        progress.clear()
        for result in results where result.hasFailed == true {
            complain("bench: '\(result.identity)' \(result.refusal ?? "failed")")
        }
        // A benchmark without a finished round has no figure.
        if isPartial {
            results.removeAll { $0.rounds.isEmpty && $0.metrics[.liveBytes] == nil && $0.hasFailed != true }
        }
        return Report(machine: machine, load: meter.load, isPartial: isPartial, results: results)
    }

    private func status(of report: Report) -> ExitStatus {
        report.hasFailures ? .failure : report.isPartial ? .interrupted : .success
    }

    /// Runs operations and nothing else, so that a profiler sees little of the harness.
    private func repeatOperations(of identity: String, _ count: Int) async throws {
        for suite in suites {
            let namer = Comparison(suite: suite.name, benchmarks: [])
            for benchmark in suite.benchmarks where namer.identity(of: benchmark) == identity {
                return try await benchmark.repeatOperations(count)
            }
        }
        throw ArgumentsError("There is no benchmark '\(identity)'; 'bench list' prints all names.")
    }

    // MARK: Baselines

    private func updateBaseline(_ name: String, _ arguments: Arguments) async throws -> ExitStatus {
        let report = try await report(arguments)
        guard status(of: report) == .success else {
            let reason = report.hasFailures ? "a benchmark failed" : "the run was interrupted"
            complain("bench: \(reason); baseline '\(name)' was not updated.")
            return status(of: report)
        }
        try baselines.save(report, as: name)
        complain("Updated baseline '\(name)' in \(baselines.folder.relativePath).")
        return .success
    }

    private func compareBaseline(
        _ name: String,
        _ other: String?,
        _ arguments: Arguments,
        _ output: Output
    ) async throws -> ExitStatus {
        let before = try baselines.load(name)
        let after = if let other { try baselines.load(other) } else { try await report(arguments) }
        let comparison = BaselineComparison(before: before, after: after, tolerances: arguments.tolerances) {
            arguments.selects($0)
        }
        try output.write(comparison.text)
        guard case .checkBaseline = arguments.command else { return status(of: after) }
        if let difference = comparison.machineDifference, !arguments.allowsOtherMachine {
            complain(
                "bench: not checked, because the machines differ: \(difference). Use --allow-other-machine to check."
            )
            return .failure
        }
        guard status(of: after) == .success else { return status(of: after) }
        return comparison.isWorse ? .regression : comparison.isBetter ? .improvement : .success
    }

    // MARK: Limits and goals

    private func thresholds(_ arguments: Arguments, _ output: Output) async throws -> ExitStatus {
        let file = try BudgetFile.read(arguments.limitsPath)
        var report: Report =
            if let report = try Self.readReport(arguments.sources) {
                report
            } else {
                try await self.report(arguments) { identity in file.budgets.contains { $0.needs(identity) } }
            }
        // Measures again: other load on a machine can last as long as a benchmark, and then the quartiles do not show
        // it.
        for _ in 0..<2 {
            let missed = file.missedTimes(in: report)
            guard arguments.command == .checkThresholds, arguments.sources.isEmpty, !missed.isEmpty,
                status(of: report) == .success
            else { break }
            complain("bench: measured once more: \(missed.map(\.what).joined(separator: "; ")).")
            report.replaceResults(
                by: try await self.report(arguments) { identity in missed.contains { $0.needs(identity) } }
            )
        }
        var table = GoalTable(file.budgets, in: report)
        if let callgrind = arguments.callgrind {
            for budget in file.instructions ?? [] {
                let callgrind = Callgrind(bench: callgrind)
                var instructions = try callgrind.instructions(of: budget.benchmark, operations: budget.operations)
                // Measures again, as with times.
                if instructions > budget.atMost {
                    complain("bench: counted once more: \(budget.what), \(Int(instructions)) instructions.")
                    instructions = min(
                        instructions,
                        try callgrind.instructions(of: budget.benchmark, operations: budget.operations)
                    )
                }
                table.append(budget, instructions: instructions)
            }
        }
        try output.write(table.text)
        guard status(of: report) == .success else { return status(of: report) }
        guard arguments.command == .updateThresholds else {
            return table.isBroken ? .regression : table.isImproved ? .improvement : .success
        }
        let text = try BudgetFile.text(try TextFile.read(arguments.limitsPath), updating: table.newLimits)
        try TextFile.write(text, to: arguments.limitsPath)
        complain("Updated \(table.newLimits.count) limits in \(arguments.limitsPath).")
        return .success
    }

    private func readableLimits(_ file: BudgetFile) -> String {
        var table = TextTable()
        table.append(["", "at most", "tolerance, %"])
        let limits = file.budgets.map { ($0.what, $0.atMost, $0.tolerance) }
        let instructions = (file.instructions ?? []).map { ($0.what, $0.atMost, $0.tolerance) }
        for (what, limit, tolerance) in limits + instructions {
            table.append([what, NumberText.short(limit), tolerance.map(NumberText.short) ?? "-"])
        }
        return table.lines.joined(separator: "\n")
    }

    private func writePages(_ goals: String, _ arguments: Arguments) async throws -> ExitStatus {
        guard let folder = arguments.path else { throw ArgumentsError("'report' needs --path FOLDER.") }
        let file = try BudgetFile.read(goals)
        let report = try await report(arguments)
        let pages = ResultsPages(
            report: report,
            goals: GoalTable(file.budgets, in: report),
            command: pagesCommand,
            expected: identities
        )
        do {
            try pages.write(to: URL(fileURLWithPath: folder))
        } catch let error as CocoaError {
            throw ArgumentsError("The pages cannot be written to '\(folder)': \(error.localizedDescription)")
        }
        return status(of: report)
    }

    private func updateTables(in pages: [String], _ arguments: Arguments) throws -> ExitStatus {
        guard let report = try Self.readReport(arguments.sources) else {
            throw ArgumentsError("'table' needs --from REPORT.")
        }
        let tables = try TextFile.decode(FigureTables.self, from: arguments.tables, "a file of tables")
        var isOutdated = false
        for page in pages {
            let text = try TextFile.read(page)
            let updated = try tables.page(text, from: report, named: page)
            guard updated != text else { continue }
            isOutdated = true
            if arguments.isCheck {
                let sources = arguments.sources.joined(separator: ", ")
                complain("bench: the figures in '\(page)' differ from \(sources). Run 'bench table' without --check.")
            } else {
                try TextFile.write(updated, to: page)
            }
        }
        return arguments.isCheck && isOutdated ? .regression : .success
    }

    private func drawPictures(_ definitions: String, _ arguments: Arguments) throws -> ExitStatus {
        guard let report = try Self.readReport(arguments.sources) else {
            throw ArgumentsError("'pictures' needs --from REPORT.")
        }
        let pictures = try TextFile.decode(PictureFile.self, from: definitions, "a file of pictures")
        let folder = URL(fileURLWithPath: definitions).deletingLastPathComponent().relativePath
        var isOutdated = false
        for (name, text) in try pictures.files(from: report, in: folder) {
            let path = "\(folder)/\(name)"
            guard (try? TextFile.read(path)) != text else { continue }
            isOutdated = true
            if arguments.isCheck {
                complain("bench: '\(path)' is not what '\(definitions)' defines. Run 'make pictures'.")
            } else {
                try TextFile.write(text, to: path)
            }
        }
        return arguments.isCheck && isOutdated ? .regression : .success
    }

    /// The merged report of several files; nil without files.
    private static func readReport(_ paths: [String]) throws -> Report? {
        let parts = try paths.map { path in try readReport(path) }
        return parts.isEmpty ? nil : Report(joining: parts)
    }

    private static func readReport(_ path: String) throws -> Report {
        try TextFile.decode(Report.self, from: path, "a report of this version of bench (--format json)")
    }

    private func complain(_ text: String) {
        FileHandle.standardError.write(Data((text + "\n").utf8))
    }
}

extension Arguments {
    /// The file of limits.
    fileprivate var limitsPath: String { path ?? "budgets.json" }
}

extension BudgetFile {
    fileprivate static func read(_ path: String) throws -> BudgetFile {
        try TextFile.decode(BudgetFile.self, from: path, "a file of limits")
    }
}
