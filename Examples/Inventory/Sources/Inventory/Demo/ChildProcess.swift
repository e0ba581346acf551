import Foundation

/// A process started by this one.
final class ChildProcess: Sendable {
    private let process = Process()
    private let input = Pipe()
    /// Its standard output, to the end, also when it has been killed.
    let lines: AsyncStream<String>

    /// - Parameter errors: The file to which its standard error is appended; that of this process if nil.
    init(_ program: URL, _ arguments: [String], errors: URL? = nil) throws {
        let output = Pipe()
        process.executableURL = program
        process.arguments = arguments
        process.standardInput = input
        process.standardOutput = output
        if let errors {
            if !FileManager.default.fileExists(atPath: errors.path) { try Data().write(to: errors) }
            let handle = try FileHandle(forWritingTo: errors)
            try handle.seekToEnd()
            process.standardError = handle
        }
        try process.run()
        lines = Self.lines(of: output.fileHandleForReading)
    }

    /// Reads on a thread, because that waits for the output.
    private static func lines(of handle: FileHandle) -> AsyncStream<String> {
        let (lines, continuation) = AsyncStream.makeStream(of: String.self)
        Thread.detachNewThread {
            var rest = Data()
            while case let data = handle.availableData, !data.isEmpty {
                rest.append(data)
                while let end = rest.firstIndex(of: UInt8(ascii: "\n")) {
                    continuation.yield(String(decoding: rest[rest.startIndex..<end], as: UTF8.self))
                    rest = Data(rest[(end + 1)...])
                }
            }
            // A line without an end was not written by one call, and must not count as one.
            if !rest.isEmpty { continuation.yield(String(decoding: rest, as: UTF8.self) + "…") }
            continuation.finish()
        }
        return lines
    }

    var id: Int32 { process.processIdentifier }

    var isRunning: Bool { process.isRunning }

    func tell(_ line: String) throws { try input.fileHandleForWriting.write(contentsOf: Data("\(line)\n".utf8)) }

    /// Kills it like a crash, and waits for its end, also in a cancelled task.
    ///
    /// - Returns: Whether it was killed; false if it had ended before.
    @discardableResult
    func kill() async -> Bool {
        if process.isRunning { Foundation.kill(process.processIdentifier, SIGKILL) }
        while process.isRunning {
            try? await Task.sleep(for: .milliseconds(1))
            await Task.yield()
        }
        return process.terminationReason == .uncaughtSignal && process.terminationStatus == SIGKILL
    }

    /// Waits for its end.
    ///
    /// - Returns: Whether it has done so in order.
    func waitForEnd() async throws -> Bool {
        while process.isRunning { try await Task.sleep(for: .milliseconds(2)) }
        return process.terminationReason == .exit && process.terminationStatus == 0
    }
}
