import Foundation

/// The memory occupied by the process.
public enum ResidentMemory {
    /// Resets the peak, so that the next one is that of later memory.
    static func resetPeak() {
        // Writing a 5 resets the peak to the current memory (proc(5)). If that is refused the peak remains that of the
        // whole process.
        try? Data("5".utf8).write(to: URL(fileURLWithPath: "/proc/self/clear_refs"))
    }

    /// The peak in bytes, or nil if the system does not report it.
    static var peak: Int? { field("VmHWM:") }

    /// The current memory in bytes, or nil if the system does not report it.
    public static var current: Int? { field("VmRSS:") }

    private static func field(_ name: String) -> Int? {
        guard let status = try? String(contentsOfFile: "/proc/self/status", encoding: .utf8) else { return nil }
        let line = status.split(separator: "\n").first { $0.hasPrefix(name) }
        let kibibytes = line?.split(whereSeparator: { $0 == " " || $0 == "\t" }).dropFirst().first.flatMap { Int($0) }
        return kibibytes.map { $0 * 1_024 }
    }
}
