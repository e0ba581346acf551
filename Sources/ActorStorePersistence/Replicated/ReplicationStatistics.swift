/// Statistics of a replica and its log at one moment, for diagnostics and metrics.
public struct ReplicationStatistics: Sendable, Equatable {
    /// The position of the newest reduced entry.
    public let position: UInt64
    /// The number of actions that the state results from. Replicas at the same position have the same revision.
    public let revision: UInt64
    /// The number of known entries in the log that have not been reduced.
    public let lag: UInt64
    /// The number of actions of this replica that are not known to be written and reduced.
    public let pendingActions: Int
    /// The number of bytes of these actions that wait to be written.
    public let pendingBytes: Int
    /// Whether the replica is connected, disconnected, waiting or ended.
    public let phase: ReplicaPhase
    /// The number of lost connections.
    public let disconnections: Int
    /// The number of groups that this replica has written.
    public let commits: UInt64
    /// The duration of the last group.
    public let lastCommitDuration: Duration
    /// The duration of the longest group.
    public let longestCommitDuration: Duration
    /// The number of known entries in the log, from the first one that is kept.
    public let entries: UInt64
    /// The settings of the log's engine that decide whether acknowledged entries survive, by the engine's names, such
    /// as `appendfsync`, when its writer or reader last connected; empty for an engine without such settings.
    public let settings: [String: String]
    /// The revision of the newest known snapshot in the log; nil without a snapshot.
    public let snapshotRevision: UInt64?
    /// The time since this replica learned of that snapshot; nil without a snapshot.
    public let snapshotAge: Duration?
    /// The number of actions whose name belonged to an action that was reduced before. They were not reduced again.
    public let repeats: UInt64
    /// The number of actions that were not reduced because the lease of their sender had ended, or because another
    /// replica has joined with a newer reducer.
    public let fencedActions: UInt64
    /// The last problem that may be temporary: of a connection, a snapshot or a lease; or the reason why the replica
    /// waits.
    public let lastProblem: ActionLogError?
    /// The reason why the replica has ended; nil while it runs or waits.
    public let failure: ActionLogError?

    /// Whether the replica is connected to the log.
    public var isConnected: Bool { phase == .connected }
}

/// The connection of a replica to its log.
public enum ReplicaPhase: Sendable, Equatable {
    /// The replica follows the log.
    case connected
    /// The replica cannot reach the log, for this reason, and retries.
    case disconnected(ActionLogError)
    /// The replica waits before an entry of a newer program, which it cannot reduce, for this reason. It accepts no
    /// actions. Its state is that before the entry. Replace it by a newer program.
    case waiting(ActionLogError)
    /// The replica has been shut down, or cannot continue, for this reason.
    case ended(ActionLogError)
}
