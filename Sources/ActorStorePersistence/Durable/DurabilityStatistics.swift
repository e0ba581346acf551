/// Statistics of a durable store and its log at one moment, for diagnostics and metrics.
public struct DurabilityStatistics: Sendable, Equatable {
    /// The number of actions that the state results from.
    public let revision: UInt64
    /// The number of these actions that the log has acknowledged.
    public let committedRevision: UInt64
    /// The number of actions that wait to be written.
    public let pendingActions: Int
    /// The number of bytes of the entries that wait to be written.
    public let pendingBytes: Int
    /// The number of groups that were written.
    public let commits: UInt64
    /// The duration of the last group.
    public let lastCommitDuration: Duration
    /// The duration of the longest group.
    public let longestCommitDuration: Duration
    /// The revision of the newest snapshot in the log by a program with the same reducer; nil without such a snapshot.
    /// The loss of a snapshot by the server is noticed by the next renewal of the lease. Also nil if a shutdown could
    /// not find out whether the log still has it.
    public let snapshotRevision: UInt64?
    /// The time since this store wrote that snapshot or started from it; nil without a snapshot.
    public let snapshotAge: Duration?
    /// The number of entries in the log, from the first one that is kept.
    public let entries: UInt64
    /// The settings of the log's engine that decide whether acknowledged entries survive, by the engine's names, such
    /// as `appendfsync`, as they were when its writer last connected; empty for an engine without such settings.
    public let settings: [String: String]
    /// The number of dispatches whose name belonged to an action that was reduced before.
    public let repeats: UInt64
    /// The last problem that may be temporary: of a write that was retried, the renewal of the lease, a snapshot, or a
    /// deletion. It stays when it is over; ``DurableStore/phase`` shows whether a write is being retried.
    public let lastProblem: ActionLogError?
    /// The reason why the store accepts no more actions; nil while it does. ``DurableStore/phase`` publishes it.
    public let failure: ActionLogError?
    /// The number of actions that were reduced, are a part of the state, and were not acknowledged when the store
    /// failed. They may be in the log or not.
    public let unconfirmedActions: Int
}

/// Whether the last write of a durable store to its log has succeeded.
public enum DurabilityPhase: Sendable, Equatable {
    /// The store writes to the log, or has nothing to write.
    case connected
    /// The last write has failed, for this reason, and is retried.
    case retrying(ActionLogError)
    /// The store has been shut down, or can write nothing any more, for this reason. It accepts no more actions.
    case ended(ActionLogError)
}
