import Foundation

/// How much memory the process occupies.
public enum ResidentMemory {
    /// Forgets the peak so far, so that the next one is that of what comes.
    static func resetPeak() {
        // Writing a 5 sets the peak back to what is occupied now (proc(5)). Where that is refused the peak stays that
        // of the whole process.
        try? Data("5".utf8).write(to: URL(fileURLWithPath: "/proc/self/clear_refs"))
    }

    /// The peak in bytes, or nil where the system does not tell.
    static var peak: Int? { field("VmHWM:") }

    /// What is occupied now, in bytes, or nil where the system does not tell.
    public static var current: Int? { field("VmRSS:") }

    private static func field(_ name: String) -> Int? {
        guard let status = try? String(contentsOfFile: "/proc/self/status", encoding: .utf8) else { return nil }
        let line = status.split(separator: "\n").first { $0.hasPrefix(name) }
        let kibibytes = line?.split(whereSeparator: { $0 == " " || $0 == "\t" }).dropFirst().first.flatMap { Int($0) }
        return kibibytes.map { $0 * 1_024 }
    }
}
