import Foundation

/// Counts the instructions of an operation with valgrind, whose counts are almost reproducible: two runs of one program
/// differ by some ten thousand, whatever it does. Where threads wait for each other, the count also depends on their
/// order.
struct Callgrind {
    /// A statically linked bench, because valgrind cannot read the debug information of the dynamic runtime.
    let bench: String

    /// Instructions per operation, from runs of a number of operations and of twice that number.
    func instructions(of identity: String, operations: Int?) throws -> Double {
        let operations = operations ?? 100_000
        let once = try collected(identity, operations)
        let twice = try collected(identity, 2 * operations)
        return Double(twice - once) / Double(operations)
    }

    private func collected(_ identity: String, _ operations: Int) throws -> Int {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments =
            [
                // Threads take turns: otherwise their order, and the number of their waits for each other, would depend
                // on other load of the machine.
                "valgrind", "--fair-sched=try", "--tool=callgrind", "--callgrind-out-file=/dev/null", bench, "repeat",
                identity, String(operations),
            ]
        let errors = Pipe()
        process.standardError = errors
        process.standardOutput = FileHandle.nullDevice
        try process.run()
        let data = errors.fileHandleForReading.readDataToEndOfFile()
        process.waitUntilExit()
        let text = String(decoding: data, as: UTF8.self)
        guard process.terminationStatus == 0, let match = text.firstMatch(of: /Collected : (\d+)/),
            let count = Int(match.1)
        else { throw ArgumentsError("valgrind could not count the instructions of '\(identity)':\n\(text)") }
        return count
    }
}
