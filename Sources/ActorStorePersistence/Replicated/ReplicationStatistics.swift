/// Figures about a replica and its log at one moment, for diagnostics and metrics.
public struct ReplicationStatistics: Sendable, Equatable {
    /// The position of the newest entry that has been reduced.
    public let position: UInt64
    /// How many actions the state is made of; the same on all replicas at the same position.
    public let revision: UInt64
    /// How many entries the log is known to have that have not been reduced.
    public let lag: UInt64
    /// How many actions of this replica are not known to have been written and reduced.
    public let pendingActions: Int
    /// How many bytes of them wait to be written.
    public let pendingBytes: Int
    /// Whether it is connected, waits, or has ended.
    public let phase: ReplicaPhase
    /// How often a connection was lost.
    public let disconnections: Int
    /// How many groups of actions this replica has written.
    public let commits: UInt64
    /// How long the last one took.
    public let lastCommitDuration: Duration
    /// How long the longest one took.
    public let longestCommitDuration: Duration
    /// How many entries the log has: from the first one that is kept to the last, as far as it is known.
    public let entries: UInt64
    /// The revision of the newest snapshot in the log, as far as it is known; nil if there is none.
    public let snapshotRevision: UInt64?
    /// For how long this replica has known that snapshot; nil if there is none.
    public let snapshotAge: Duration?
    /// How many actions named one that had been reduced before, and were not reduced again.
    public let repeats: UInt64
    /// How many actions were not reduced because the lease of their sender had ended, or its reducer was an older one
    /// than another replica has joined with.
    public let fencedActions: UInt64
    /// What went wrong last and may have passed: with a connection, a snapshot, a lease; or why the replica waits.
    public let lastProblem: ActionLogError?
    /// Why the replica has ended; nil while it goes on, or waits.
    public let failure: ActionLogError?

    /// Whether there is a connection to the log.
    public var isConnected: Bool { phase == .connected }
}

/// How far a replica can follow its log.
public enum ReplicaPhase: Sendable, Equatable {
    /// It follows the log.
    case connected
    /// It cannot reach the log, and tries again; why.
    case disconnected(ActionLogError)
    /// It waits before an entry that its program cannot reduce, because a newer one has written it, and takes no
    /// actions; why. Its state is that of the entries before. Start a newer program in its place.
    case waiting(ActionLogError)
    /// It has been shut down, or has found that it cannot go on; why.
    case ended(ActionLogError)
}
