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
    /// The snapshot that the recovery started from.
    var snapshot: ActionLogSnapshot?
    /// Whether a program with another reducer has written the snapshot that the recovery started from.
    var startsFromOtherReducer = false
    /// The position of the newest unreadable snapshot; 0 without one.
    var unreadableSnapshot: UInt64 = 0
    /// The reducer version of the last action behind the snapshot, whether or not it could be reduced; with replicas,
    /// the greatest one of their actions and first entries. Nil without such an entry.
    var lastReducer: Int?
    /// Whether replicas have written the last entries.
    var isOfReplicas = false
    /// Whether readable entries were preceded or followed by a loss.
    var hasLost = false
    /// Whether a restore from an archive has ended.
    var restore = RestoreCheck()
    /// The positions of skipped entries, with accepted losses.
    var leftOut: Set<UInt64> = []
    /// Whether the state lacks actions before the current one.
    var hasGap = false
    /// The revision that the log had at this place, minus that of the state, which lacks actions; nil if it is unknown.
    var offset: Int64? = 0
    /// The number of reported actions behind a loss that were not reduced, because they were sent for another revision.
    var refusals = 0

    init() {}

    /// Whether the next recovery would have to skip the same entries, unless there is a snapshot of this result.
    var needsSnapshot: Bool { !leftOut.isEmpty || hasLost }

    /// Whether a durable store writes a snapshot as it opens, and counts no earlier one. Without it, the next recovery
    /// would have to skip the same entries; or this program could not reduce the actions before the snapshot of the
    /// former reducer, if that became unreadable.
    var beginsWithSnapshot: Bool { needsSnapshot || startsFromOtherReducer }
}

/// The policy of a recovery for missing or unreadable entries.
public enum RecoveryPolicy: Sendable, Equatable {
    /// The recovery stops with an error that contains the position and the reason. Entries and snapshots are
    /// unchanged.
    case strict
    /// The recovery skips missing and unreadable entries, continues with the rest, and reports what it skipped. Use
    /// this if a partial state is better than none. A snapshot of the result is written at once, or by a durable store
    /// at the latest by its shutdown, so that the next recovery can be strict again.
    ///
    /// Behind a loss, the revisions that actions of replicas expect are shifted, as if each unreadable entry had been a
    /// reduced action. If an unreadable entry was something else, such as the acquisition of a lease, at least one of
    /// these actions is not reduced; behind a lost snapshot, none is. This ends with the first entry of a replica that
    /// has joined while no other one was appending, because it contains the revision. The report has the first 100 of
    /// these actions.
    ///
    /// Actions for another version of the reducer are skipped only if this version is that of the last action of a
    /// durable store whose header can be read, or the newest one of the replicas. Otherwise opening throws
    /// ``ActionLogError/Code/otherReducer`` with the version to use. Actions of a newer schema are skipped. If the
    /// entries before the snapshots were deleted, and this program does not support the schema of one, opening throws
    /// ``ActionLogError/Code/unknownSchema``, because that state is not lost.
    ///
    /// Copy the log before you use it.
    case acceptingLoss
}
