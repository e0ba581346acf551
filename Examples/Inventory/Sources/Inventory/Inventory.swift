import Foundation

/// The program: a demo of desks that are killed, or one of these desks.
@main
struct Inventory {
    static func main() async {
        exit(await status(of: Array(CommandLine.arguments.dropFirst())).rawValue)
    }

    /// Runs to the end, and explains every failure.
    private static func status(of arguments: [String]) async -> ProgramStatus {
        do {
            switch try Arguments(parsing: arguments) {
            case .help: LineOutput.standard.write(Arguments.usage)
            case .desk(let arguments): try await DeskProgram(arguments: arguments).run()
            case .demo(let arguments): return try await Demo(arguments: arguments).run()
            }
            return .success
        } catch let error as ArgumentsError {
            LineOutput.error.write("inventory: \(error)\n\n\(Arguments.usage)")
            return .badInput
        } catch {
            LineOutput.error.write("inventory: \(error)")
            return .failure
        }
    }
}
