import ActorStoreSimulation
import Foundation
import Testing

/// The wall clock of started processes, which a test sets while they run. Their clock for durations is not affected.
final class SteppedClock: Sendable {
    /// The environment of such a process.
    let environment: [String]
    private let path: String

    /// Makes a clock that is correct until it is set.
    ///
    /// - Parameter library: The result of ``makeLibrary()``.
    init(_ library: String) throws {
        path =
            FileManager.default.temporaryDirectory.appendingPathComponent("clock-\(UUID().uuidString.prefix(13))").path
        environment = ["LD_PRELOAD=\(library)", "CLOCK_STEPS=\(path)"]
        // PostgreSQL reads it as its own user.
        let isMade = FileManager.default.createFile(
            atPath: path,
            contents: Data(count: 8),
            attributes: [.posixPermissions: 0o644]
        )
        try #require(isMade)
    }

    deinit { unlink(path) }

    /// Sets the clock ahead of the correct time by a number of milliseconds.
    func set(ahead milliseconds: Int64) throws {
        let file = open(path, O_WRONLY | O_CLOEXEC)
        defer { close(file) }
        // One call of 8 bytes, which is never read in part.
        var nanoseconds = milliseconds * 1_000_000
        try #require(pwrite(file, &nanoseconds, 8, 0) == 8)
    }

    /// Builds the library that such processes load first, from the source of the target `CClockSteps`.
    static func makeLibrary() async throws -> String {
        let source = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .appendingPathComponent("CClockSteps")
        let library = FileManager.default.temporaryDirectory
            .appendingPathComponent("clock-steps-\(UUID().uuidString.prefix(13)).so").path
        let words = [
            "clang", "-shared", "-fPIC", "-O1", "-I", source.appendingPathComponent("include").path, "-o", library,
            source.appendingPathComponent("clock_steps.c").path,
        ]
        let script = "\"$@\" 2>&1 || exit; chmod 644 \"$0\"; echo made"
        let process = try ChildProcess("/usr/bin/env", ["sh", "-c", script, library] + words)
        try await process.waitForEnd()
        try #require(process.lines.last == "made", "clang of the Swift toolchain says: \(process.lines)")
        return library
    }
}
