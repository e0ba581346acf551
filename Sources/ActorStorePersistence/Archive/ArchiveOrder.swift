/// The order of the lines of a whole archive, behind the first one: a plain value.
struct ArchiveOrder {
    private var entries: UInt64 = 0
    private var states: UInt64 = 0
    /// The position of the state or of the entry before the next line; 0 for an archive of a whole log.
    private var position: UInt64 = 0
    /// Whether the next line can begin a state: one at the beginning, and one behind each entry.
    private var mayHaveState = true
    /// The parts of the last state, if there was one.
    private var parts: (seen: UInt64, all: UInt64)?

    /// Records the next line.
    ///
    /// - Returns: The reason why the line cannot follow the lines before it; nil if it can.
    mutating func admit(_ line: ArchiveLine) -> String? {
        let isWhole = parts.map { $0.seen == $0.all } ?? true
        if line.kind != .state, !isWhole { return "Parts of the state before this are missing." }
        if line.kind == .end {
            // Version 2 does not have the number of states.
            let isComplete = line.position == entries && line.number ?? states == states
            return isComplete ? nil : "Lines before this are missing or repeated."
        }
        guard line.checksum == line.digest else { return "The checksum does not match." }
        switch line.kind {
        case .account:
            guard let count = line.number, let found = line.position, found < .max else {
                return "The line does not say which state it has."
            }
            guard mayHaveState, entries == 0 || found == position else {
                return "The line repeats a state, or has that of another position."
            }
            (parts, position, states, mayHaveState) = ((1, count), found, states + 1, false)
        case .state:
            guard let counted = parts, line.position == position else { return "The state has no beginning." }
            guard line.number == counted.seen, !isWhole else { return "The part of the state is out of order." }
            parts = (counted.seen + 1, counted.all)
        case .entry:
            guard let found = line.position, found < .max, found == position + 1 else {
                return "Entries before this are missing."
            }
            (entries, position, mayHaveState) = (entries + 1, found, true)
        case .log, .end: return "The line is the first one of another archive."
        }
        return nil
    }
}
