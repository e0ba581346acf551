import Benchmarking
import Foundation

/// The duration of a process that creates its first store, observes its first key path or dispatches its first action,
/// from its start to its end, beside the same program that does nothing.
///
/// Starting a process takes milliseconds, so the difference only shows whether a service or a command pays a noticeable
/// cost. `Perf/cold-start` prints what the processes measured inside themselves.
let coldStartSuite = Suite(
    "cold start",
    [
        process("a process that makes its first store", "store", comparedWith: [doesNothing]),
        process("a process that observes its first key path", "observe", comparedWith: [doesNothing]),
        process("a process that dispatches its first action", "dispatch", comparedWith: [doesNothing]),
        process(doesNothing, "nothing"),
    ]
)

private let doesNothing = "a process that does nothing"

/// Twenty processes in sequence.
private func process(_ name: String, _ subject: String, comparedWith baselines: [String] = []) -> Benchmark {
    Benchmark(
        name,
        comparedWith: baselines,
        configuration: Configuration(operationsPerSample: 1, minimumSamples: 20, maximumSamples: 20)
    ) {
        try ColdProcess(subject)
    } measure: { process, count in
        for _ in 0..<count { try process.run() }
    }
}

/// The program `ColdStart`, which is built with this one.
private struct ColdProcess: Sendable {
    private let program: URL
    private let subject: String

    init(_ subject: String) throws {
        self.subject = subject
        let folder = (Bundle.main.executableURL ?? URL(fileURLWithPath: CommandLine.arguments[0]))
            .deletingLastPathComponent()
        program = folder.appendingPathComponent("ColdStart")
        guard FileManager.default.isExecutableFile(atPath: program.path) else {
            throw ColdProcessError(
                description:
                    "There is no \(program.path): build it with `swift build -c release --package-path Benchmarks`."
            )
        }
    }

    func run() throws {
        let process = Process()
        process.executableURL = program
        process.arguments = [subject]
        process.standardOutput = FileHandle.nullDevice
        try process.run()
        process.waitUntilExit()
        guard process.terminationStatus == 0 else {
            throw ColdProcessError(
                description: "\(program.path) \(subject) ended with status \(process.terminationStatus)."
            )
        }
    }
}

private struct ColdProcessError: Error, CustomStringConvertible {
    let description: String
}
