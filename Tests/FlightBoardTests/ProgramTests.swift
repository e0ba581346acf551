import Foundation
import Testing

@testable import FlightBoard

@Suite("The program")
struct ProgramTests {
    /// The results of a run of the program.
    private struct Outcome {
        let status: ProgramStatus
        let output: String
        let errors: String
    }

    /// Runs the program with its output and its errors in files.
    private func run(_ arguments: String...) async throws -> Outcome {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("flightboard-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let files = [folder.appendingPathComponent("output"), folder.appendingPathComponent("errors")]
        for file in files { try Data().write(to: file) }
        let handles = try files.map { try FileHandle(forWritingTo: $0) }
        let status = await FlightBoard.status(
            of: arguments,
            output: StandardOutput(descriptor: handles[0].fileDescriptor),
            errors: StandardOutput(descriptor: handles[1].fileDescriptor)
        )
        for handle in handles { try handle.close() }
        let texts = try files.map { String(decoding: try Data(contentsOf: $0), as: UTF8.self) }
        return Outcome(status: status, output: texts[0], errors: texts[1])
    }

    /// Calls `body` with the path of a file that has the first 4,000 flights of the month.
    private func withFirstDays(_ body: (_ path: String) async throws -> Void) async throws {
        let month = try String(contentsOfFile: FlightBoard.includedPath(), encoding: .utf8)
        let rows = month.split(separator: "\n").prefix(4_001)
        let file = FileManager.default.temporaryDirectory.appendingPathComponent("flightboard-\(UUID().uuidString).csv")
        try Data((rows.joined(separator: "\n") + "\n").utf8).write(to: file)
        defer { try? FileManager.default.removeItem(at: file) }
        try await body(file.path)
    }

    @Test("With --json the program prints one object and nothing else")
    func json() async throws {
        var outcome = Outcome(status: .failedCheck, output: "", errors: "")
        try await withFirstDays { outcome = try await run("--json", "--input", $0) }
        #expect(outcome.status == .success && outcome.errors.isEmpty)
        let report = try JSONDecoder().decode(Report.self, from: Data(outcome.output.utf8))
        #expect(report.flights == 4_000)
        #expect(outcome.output.filter { $0 == "\n" }.count == 1)
    }

    @Test("Without a terminal the program prints plain lines and the summary of the whole month")
    func plain() async throws {
        let outcome = try await run()
        #expect(outcome.status == .success && outcome.errors.isEmpty)
        #expect(!outcome.output.contains("\u{1B}"))
        #expect(outcome.output.contains("100%  2013-02-01 08:30 UTC  26,483 departed  521 cancelled"))
        #expect(outcome.output.contains("\nUA          4,637          32               8.33 min\n"))
        #expect(outcome.output.contains("\nWeather: 68 requests, 34 retries; 67 answered, 1 given up\n"))
        #expect(outcome.output.hasSuffix("A plain loop over the file gives the same figures.\n"))
    }

    @Test("The summary includes the weather service, and is the same in each run")
    func weather() async throws {
        try await withFirstDays { path in
            let flaky = try await run("--input", path)
            #expect(flaky.output.contains("\nWeather: 8 requests, 2 retries; 8 answered\n"))
            let down = try await run("--input", path, "--weather", "down")
            #expect(down.status == .success)
            #expect(down.output.contains("\nWeather: 8 requests, 24 retries; 7 given up, 1 withdrawn\n"))
            let off = try await run("--input", path, "--weather", "off")
            #expect(off.status == .success && !off.output.contains("Weather"))
        }
    }

    @Test("Help goes to standard output, unknown arguments and the usage to standard error")
    func usage() async throws {
        let help = try await run("--help")
        #expect(help.status == .success && help.output == Arguments.usage && help.errors.isEmpty)
        let unknown = try await run("--speed")
        #expect(unknown.status == .badInput && unknown.output.isEmpty)
        #expect(unknown.errors == "flightboard: unknown argument '--speed'\n\n" + Arguments.usage)
    }

    @Test("A bad file ends with a message and status 2")
    func badFile() async throws {
        let outcome = try await run("--json", "--input", "/no such folder/flights.csv")
        #expect(outcome.status.rawValue == 2 && outcome.output.isEmpty)
        #expect(outcome.errors == "flightboard: cannot open '/no such folder/flights.csv': No such file or directory\n")
    }

    @Test("Output that cannot be written ends with a message and status 3")
    func badOutput() async throws {
        let readOnly = try #require(FileHandle(forReadingAtPath: "/dev/null"))
        let status = await FlightBoard.status(
            of: ["--help"],
            output: StandardOutput(descriptor: readOnly.fileDescriptor),
            errors: StandardOutput(descriptor: readOnly.fileDescriptor)
        )
        #expect(status.rawValue == 3)
    }
}
