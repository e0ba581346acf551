/// What a recovery has found in a log, and what it did with it.
public struct RecoveryReport: Sendable, Equatable {
    /// The revision of the state that came of it: how many actions there have been.
    public internal(set) var revision: UInt64 = 0
    /// The revision of the snapshot that it began with; nil if that was the initial state.
    public internal(set) var snapshotRevision: UInt64?
    /// How many actions were reduced on that.
    public internal(set) var replayedActions = 0
    /// Snapshots that could not be used, which only costs time; and, if losses were accepted, all that was left out.
    public internal(set) var problems: [ActionLogError] = []
    /// The position of the snapshot that it began with.
    var snapshotPosition: UInt64?
    /// Whether it goes on without what came before, or after, all that could be read.
    var hasLost = false
    /// The positions of entries that were left out, because losses were accepted.
    var leftOut: Set<UInt64> = []

    init() {}

    /// Whether the next recovery would have to leave out the same again, unless there is a snapshot of what came of this
    /// one.
    var needsSnapshot: Bool { !leftOut.isEmpty || hasLost }
}

/// What a recovery does about what is missing, or cannot be read.
public enum RecoveryPolicy: Sendable, Equatable {
    /// It stops, with an error that names what is missing and where, and changes nothing.
    case strict
    /// It leaves out what is missing or cannot be read, goes on with the rest, and reports what was left out: for
    /// whoever would rather have most of it than nothing. A snapshot of the result is made at once, so that the next
    /// recovery can be strict again.
    ///
    /// Copy the log before.
    case acceptingLoss
}
