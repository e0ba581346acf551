/// Determines from the entries of a log whether a restore from an archive has ended: a plain value.
///
/// All entries of a restore have one origin. The last one marks the end, and is appended when everything else is
/// written. A store appends behind it only, unless it has accepted the loss of the rest.
struct RestoreCheck: Sendable, Equatable {
    /// Whether the last entry is one of a restore, and not its end.
    private var isOpen = false
    /// Whether entries of a restore are missing before the last entry, or the state before them.
    private var isPart = false
    /// Whether the loss was accepted.
    private(set) var isAccepted = false
    /// Whether the restore has continued since.
    private(set) var hasContinued = false

    /// Begins behind a snapshot of an entry of a restore.
    ///
    /// - Parameter isEnd: Whether the entry marks the end of a restore; nil if it was deleted.
    mutating func begin(behind identity: ActionLogEntry.Identity, isEnd: Bool?) {
        // A restore itself deletes its first entry in favour of the state.
        isOpen = isEnd.map { !$0 } ?? (identity.number == 1)
    }

    /// Records the next entry.
    ///
    /// - Parameter archive: What the entry says about the restore; nil if it says nothing, or cannot be read.
    mutating func note(_ archive: EntryHeader.Archive?, of identity: ActionLogEntry.Identity) {
        let isRestored = EntryHeader.Archive.isOrigin(identity.origin)
        if isRestored, isAccepted { hasContinued = true }
        if !isRestored, isOpen { isPart = true }
        if archive?.part == .beginningWithState { isPart = true }
        isOpen = isRestored && archive?.isEnd(of: identity) != true
    }

    /// Accepts the loss, if there is one.
    ///
    /// - Returns: Whether there is one that was not accepted before.
    mutating func acceptLoss() -> Bool {
        guard !isAccepted, isOpen || isPart else { return false }
        isAccepted = true
        return true
    }
}
