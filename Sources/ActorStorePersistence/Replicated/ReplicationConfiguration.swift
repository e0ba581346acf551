public import ActorStore

/// The configuration of a replica. All replicas of a log need the same ``effects`` and ``digestInterval``.
///
/// ```swift
/// var replication = ReplicationConfiguration(name: "warehouse-2")
/// replication.effects = .leaseHolder(lasting: .seconds(10))
/// replication.whileDisconnected = .refuse
/// ```
public struct ReplicationConfiguration: Sendable {
    /// The name of the replica, a part of its origin.
    public var name: String
    /// The replica that runs the effects of an action.
    public var effects: EffectPlacement
    /// The treatment of actions while the log is unreachable.
    public var whileDisconnected: DisconnectionPolicy
    /// The maximum number of actions of this replica that wait to be written and reduced. Further actions are refused.
    public var pendingLimit: Int { didSet { pendingLimit = max(pendingLimit, 1) } }
    /// The maximum number of bytes of these actions.
    public var pendingByteLimit: Int { didSet { pendingByteLimit = max(pendingByteLimit, 1) } }
    /// The delays between attempts to connect. The policy's number of attempts is ignored: there is no last attempt.
    public var reconnection: RetryPolicy
    /// The interval between two snapshots, from which replicas start when they are opened.
    public var snapshots: SnapshotInterval
    /// Whether a shutdown writes a snapshot, unless one of its revision exists. A program with a changed reducer can
    /// then continue from it.
    public var snapshotAtShutdown: Bool
    /// The entries and snapshots that the log keeps. In addition, it keeps entries that a recently reporting replica
    /// needs; see ``replicaPatience``.
    public var retention: LogRetention
    /// The time for which entries are kept for a replica that does not report. A replica that was disconnected for
    /// longer continues from a snapshot.
    public var replicaPatience: Duration
    /// The policy of the opening for missing or unreadable entries.
    ///
    /// With ``RecoveryPolicy/acceptingLoss``, the replica writes a snapshot of what could be read, from which the
    /// others continue; if that fails, the opening throws. Shut all other replicas down before, and open them again
    /// afterwards: a replica that can read the skipped entries would have another state.
    public var recovery: RecoveryPolicy
    /// The version of the types, and the migration from older versions.
    public var schema: StateSchema
    /// The version of the reducer. Raise it if the reducer produces a different state from the same actions.
    ///
    /// Replicas of an older version wait where the first replica of a newer version has joined. A replica of a newer
    /// version joins only if a snapshot includes all actions for the older version.
    public var reducerVersion: Int
    /// The codec for actions and states.
    public var codec: any StateCodec
    /// The number of actions between two digests of the state; nil for no digests. With digests, a replica detects that
    /// its state differs from that of other replicas. Computing a digest takes as long as encoding the state.
    public var digestInterval: UInt64?

    /// Creates a configuration. Every parameter has a default.
    public init(
        name: String = "replica",
        effects: EffectPlacement = .origin,
        whileDisconnected: DisconnectionPolicy = .buffer,
        pendingLimit: Int = 10_000,
        pendingByteLimit: Int = 256 << 20,
        reconnection: RetryPolicy = RetryPolicy(
            maxAttempts: .max,
            backoff: .exponential(base: .milliseconds(20), cap: .seconds(2)),
            jitter: .full
        ),
        snapshots: SnapshotInterval = SnapshotInterval(actions: 10_000),
        snapshotAtShutdown: Bool = true,
        retention: LogRetention = .snapshots(2),
        replicaPatience: Duration = .seconds(300),
        recovery: RecoveryPolicy = .strict,
        schema: StateSchema = StateSchema(),
        reducerVersion: Int = 1,
        codec: any StateCodec = JSONStateCodec(),
        digestInterval: UInt64? = 10_000
    ) {
        self.name = name
        self.effects = effects
        self.whileDisconnected = whileDisconnected
        self.pendingLimit = max(pendingLimit, 1)
        self.pendingByteLimit = max(pendingByteLimit, 1)
        self.reconnection = reconnection
        self.snapshots = snapshots
        self.snapshotAtShutdown = snapshotAtShutdown
        self.retention = retention
        self.replicaPatience = replicaPatience
        self.recovery = recovery
        self.schema = schema
        self.reducerVersion = reducerVersion
        self.codec = codec
        self.digestInterval = digestInterval
    }

    var coding: StateCoding { StateCoding(codec: codec, schema: schema) }
}

/// The replica that runs the effects of the reducer. On every replica, effects start when their action is in the log,
/// and are cancelled when the reducer cancels them.
public enum EffectPlacement: Sendable, Equatable {
    /// The replica that the action was sent to. If it fails, the effects are lost.
    case origin
    /// Every replica, for actions after it has joined.
    case everyReplica
    /// The replica that holds the lease, which lasts for the given time, at least 100 ms, unless it is renewed. If the
    /// holder fails, another replica gets the lease, and the store's `leaseAcquired` action tells the reducer to
    /// restart work that must continue. Effects of actions that are reduced while no replica holds the lease are not
    /// run.
    ///
    /// Actions that an effect sends after its replica has lost the lease are not reduced, on any replica.
    case leaseHolder(lasting: Duration)

    var leaseDuration: Duration? {
        if case .leaseHolder(let duration) = self { max(duration, .milliseconds(100)).boundedWait } else { nil }
    }
}

/// The treatment of actions while the log is unreachable. Actions that were accepted before are kept in any case, and
/// written after the next connection.
public enum DisconnectionPolicy: Sendable, Equatable {
    /// Actions are kept in order, up to ``ReplicationConfiguration/pendingLimit``, and `dispatch` waits.
    case buffer
    /// Actions are refused with the error of the connection, such as ``ActionLogError/Code/disconnected``.
    case refuse
}

extension RetryPolicy {
    /// Returns the delay after an attempt. There is no last attempt.
    func endlessWait(afterAttempt attempt: Int) -> Duration {
        var generator = SystemRandomNumberGenerator()
        let policy = RetryPolicy(maxAttempts: .max, backoff: backoff, jitter: jitter)
        return (policy.wait(afterAttempt: max(attempt, 1), using: &generator) ?? .zero).boundedWait
    }
}
