/// The report of a recovery from a log.
public struct RecoveryReport: Sendable, Equatable {
    /// The revision of the recovered state: the number of its actions.
    public internal(set) var revision: UInt64 = 0
    /// The revision of the snapshot that the recovery started from; nil if it started from the initial state.
    public internal(set) var snapshotRevision: UInt64?
    /// The number of actions that were reduced after that.
    public internal(set) var replayedActions = 0
    /// The unreadable snapshots, which only cost time; and, with accepted losses, everything that was skipped.
    public internal(set) var problems: [ActionLogError] = []
    /// The position of the snapshot that the recovery started from.
    var snapshotPosition: UInt64?
    /// Whether readable entries were preceded or followed by a loss.
    var hasLost = false
    /// The positions of skipped entries, with accepted losses.
    var leftOut: Set<UInt64> = []
    /// The number of skipped actions, after which later revisions are smaller than in the log.
    var skippedActions: UInt64 = 0
    /// Whether the recovery started behind entries that only a lost snapshot had.
    var hasLostSnapshot = false
    /// Whether an action behind a loss was not reduced, because it was sent for another revision.
    var hasRefused = false

    init() {}

    /// Whether the state lacks actions before the current one.
    var hasGap: Bool { skippedActions > 0 || hasLostSnapshot }

    /// Whether the next recovery would have to skip the same entries, unless there is a snapshot of this result.
    var needsSnapshot: Bool { !leftOut.isEmpty || hasLost }
}

/// The policy of a recovery for missing or unreadable entries.
public enum RecoveryPolicy: Sendable, Equatable {
    /// The recovery stops with an error that contains the position and the reason, and changes nothing.
    case strict
    /// The recovery skips missing and unreadable entries, continues with the rest, and reports what it skipped. Use
    /// this if a partial state is better than none. A snapshot of the result is written at once, or after a failure at
    /// the latest by the shutdown, so that the next recovery can be strict again.
    ///
    /// Actions of replicas that were sent for a revision are reduced as before the loss, if only single entries are
    /// unreadable. Behind a lost snapshot they are not reduced; the report has the first of them.
    ///
    /// Copy the log before you use it.
    case acceptingLoss
}
