import Foundation
import Soaking

/// Does everything concurrently, at random, and checks that nothing is lost, doubled, out of order, or left behind.
@main
enum Soak {
    static func main() async {
        let arguments: SoakArguments
        do {
            arguments = try SoakArguments(Array(CommandLine.arguments.dropFirst()))
        } catch {
            complain("soak: \(error)\n\(SoakArguments.usage)")
            exit(2)
        }
        guard !arguments.showsHelp else { return say(SoakArguments.usage) }
        let seed = arguments.seed ?? UInt64.random(in: 0 ... .max)
        say("seed \(seed)")
        let run = SoakRun()
        signal(SIGINT, SIG_IGN)
        let source = DispatchSource.makeSignalSource(signal: SIGINT, queue: .global())
        source.setEventHandler { run.interrupt() }
        source.resume()
        // Off the main actor, to which every switch of executors would cost microseconds.
        let flaws = await Task.detached { await run.run(arguments, seed: seed) }.value
        source.cancel()
        for flaw in Set(flaws).sorted().prefix(20) { complain("soak: \(flaw)") }
        exit(flaws.isEmpty ? 0 : 1)
    }

    /// Prints a line at once, also into a file.
    static func say(_ text: String) { FileHandle.standardOutput.write(Data((text + "\n").utf8)) }

    private static func complain(_ text: String) { FileHandle.standardError.write(Data((text + "\n").utf8)) }
}
