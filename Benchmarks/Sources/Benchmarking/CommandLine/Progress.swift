import Foundation

/// Shows the current benchmark and the remaining time on a terminal, in one line.
struct Progress: Sendable {
    private let isShown: Bool
    private let start = MonotonicClock.now

    /// - Parameter isWanted: Whether to show the progress if there is a terminal.
    init(isWanted: Bool = true) {
        isShown = isWanted && isatty(FileHandle.standardError.fileDescriptor) == 1
    }

    func show(_ identities: [String], done: Int, of all: Int) {
        guard isShown else { return }
        write("\r\u{1B}[K" + Self.line(identities, done: done, of: all, nanoseconds: MonotonicClock.now - start))
    }

    func clear() {
        if isShown { write("\r\u{1B}[K") }
    }

    /// The line, with the remaining time estimated from the average of earlier comparisons.
    static func line(_ identities: [String], done: Int, of all: Int, nanoseconds: Int) -> String {
        let others = identities.count > 1 ? " and \(identities.count - 1) more" : ""
        let rest = done > 0 ? ", \(duration(nanoseconds / done * (all - done))) left" : ""
        return "\(done + 1) of \(all)\(rest): \(identities.first?.prefix(60) ?? "")\(others)"
    }

    private static func duration(_ nanoseconds: Int) -> String {
        let seconds = nanoseconds / 1_000_000_000
        let minutes = seconds / 60
        if minutes >= 60 { return "\(minutes / 60) h \(minutes % 60) min" }
        return minutes > 0 ? "\(minutes) min \(seconds % 60) s" : "\(seconds) s"
    }

    private func write(_ text: String) { FileHandle.standardError.write(Data(text.utf8)) }
}
