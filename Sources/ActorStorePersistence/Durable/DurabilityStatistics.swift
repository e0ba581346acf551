/// Figures about a durable store and its log at one moment, for diagnostics and metrics.
public struct DurabilityStatistics: Sendable, Equatable {
    /// How many actions the state is made of.
    public let revision: UInt64
    /// How many of them the log has acknowledged.
    public let committedRevision: UInt64
    /// How many actions wait to be written.
    public let pendingActions: Int
    /// How many bytes of them.
    public let pendingBytes: Int
    /// How many groups of actions were written.
    public let commits: UInt64
    /// How long the last one took.
    public let lastCommitDuration: Duration
    /// How long the longest one took.
    public let longestCommitDuration: Duration
    /// The revision of the newest snapshot in the log; nil if there is none.
    public let snapshotRevision: UInt64?
    /// How long ago this store has made that snapshot, or begun with it; nil if there is none.
    public let snapshotAge: Duration?
    /// How many entries the log has: from the first one that is kept to the last.
    public let entries: UInt64
    /// How many dispatches named an action that had been reduced before.
    public let repeats: UInt64
    /// What went wrong last and may have passed: writing that is tried again, a snapshot, or deleting.
    public let lastProblem: ActionLogError?
    /// Why the store takes no more actions; nil while it does.
    public let failure: ActionLogError?
    /// How many actions were reduced, are a part of the state, and were not acknowledged when it failed: they may be in
    /// the log or not.
    public let unconfirmedActions: Int
}
