import ActorStore
import ActorStoreComposition
import Foundation

/// The program: reads flights, replays them through a tree of stores, shows the observers' values, and checks the
/// outcome.
@main
struct FlightBoard {
    let arguments: Arguments
    let output: StandardOutput
    let errors: StandardOutput
    let interruption: Interruption

    static func main() async {
        StandardOutput.prepareProcess()
        let arguments = Array(CommandLine.arguments.dropFirst())
        exit(await status(of: arguments, interruption: .ofProcess()).rawValue)
    }

    /// Runs to the end, and explains every failure.
    static func status(
        of arguments: [String],
        output: StandardOutput = StandardOutput(),
        errors: StandardOutput = StandardOutput(descriptor: STDERR_FILENO),
        interruption: Interruption = .never
    ) async -> ProgramStatus {
        do {
            let arguments = try Arguments(parsing: arguments)
            return try await FlightBoard(
                arguments: arguments,
                output: output,
                errors: errors,
                interruption: interruption
            ).run()
        } catch let error as ArgumentsError {
            complain(error.explanation + "\n\n" + Arguments.usage.dropLast(), to: errors)
            return .badInput
        } catch let error as OutputError {
            // A closed pipe is no error of the program.
            if error != .closed { complain(error.explanation, to: errors) }
            return .badOutput
        } catch let error as any ExplainedError {
            complain(error.explanation, to: errors)
            return .badInput
        } catch {
            complain("the replay could not finish: \(error)", to: errors)
            return .failedCheck
        }
    }

    private func run() async throws -> ProgramStatus {
        if arguments.showsHelp {
            try output.write(Arguments.usage)
            return .success
        }
        let file = try FlightFile(InputFile(path: try arguments.inputPath ?? Self.includedPath()))
        let schedule = Schedule(file.flights)
        let display = display(of: schedule, title: file.input.path.printable(limit: 500))
        let duration = arguments.durationInSeconds.map { Duration.seconds($0) }
        var replay = Replay(schedule: schedule, display: display, duration: duration)
        replay.interruption = interruption
        let service = arguments.weather.service
        if service == nil { replay.rules.weather = nil }
        let result = try await withDependencies {
            if let service { $0.weather = service }
        } operation: { [replay] in
            try await replay.run()
        }
        await display.finish()
        let isPlain = !arguments.printsJSON
        try output.write(
            isPlain ? "\n" + Summary(result: result, isPaced: duration != nil).text : try Report(result).json()
        )
        var differences =
            Differences.betweenLevels(of: result.state)
            + Differences.between(state: result.state, lastSeen: result.lastSeen)
        if !result.wasInterrupted {
            let recomputed = try Recomputation.figures(of: file.input)
            differences.insert(
                contentsOf: Differences.between(store: Figures(result.state), recomputed: recomputed),
                at: 0
            )
        }
        guard differences.isEmpty else {
            for difference in differences { Self.complain(difference, to: errors) }
            return .failedCheck
        }
        if result.wasInterrupted { return .interrupted }
        if isPlain { try output.write("A plain loop over the file gives the same figures.\n") }
        return .success
    }

    /// The path of the included file.
    static func includedPath() throws(InputFileError) -> String {
        guard let included = Bundle.module.url(forResource: "flights-2013-01", withExtension: "csv") else {
            throw .cannotOpen(path: "flights-2013-01.csv", reason: "it is not among the program's resources")
        }
        return included.path
    }

    private func display(of schedule: Schedule, title: String) -> any BoardDisplay {
        if arguments.printsJSON { return SilentDisplay() }
        let terminal = Terminal(descriptor: output.descriptor, environment: ProcessInfo.processInfo.environment)
        guard terminal.isLive else { return ProgressLines(schedule: schedule, output: output) }
        return LiveBoard(
            title: title.split(separator: "/").last.map(String.init) ?? title,
            schedule: schedule,
            output: output,
            terminal: terminal
        )
    }

    private static func complain(_ text: String, to errors: StandardOutput) {
        // There is nowhere left to report that standard error cannot be written.
        try? errors.write("flightboard: " + text + "\n")
    }
}
