public import ActorStore

/// What can be chosen about a replica. All replicas of a log need the same ``effects`` and ``digestInterval``.
///
/// ```swift
/// var replication = ReplicationConfiguration(name: "warehouse-2")
/// replication.effects = .leaseHolder(lasting: .seconds(10))
/// replication.whileDisconnected = .refuse
/// ```
public struct ReplicationConfiguration: Sendable {
    /// Names the replica in its origin.
    public var name: String
    /// Which replica runs the effects of an action.
    public var effects: EffectPlacement
    /// What becomes of actions while the log cannot be reached.
    public var whileDisconnected: DisconnectionPolicy
    /// How many actions of this replica may wait to be written and reduced; further ones are refused.
    public var pendingLimit: Int
    /// How many bytes of them.
    public var pendingByteLimit: Int
    /// How the waits between attempts to connect grow. Its number of attempts does not count: there is no last one.
    public var reconnection: RetryPolicy
    /// How much happens between two snapshots, which replicas that open begin with.
    public var snapshots: SnapshotInterval
    /// Whether a shutdown makes one, if there is none of its revision, so that a program with a changed reducer can go
    /// on from there.
    public var snapshotAtShutdown: Bool
    /// What is kept. Entries that a replica needs which was heard of lately are kept in any case; see
    /// ``replicaPatience``.
    public var retention: LogRetention
    /// For how long entries are kept for a replica that is not heard of. One that was away for longer goes on with a
    /// snapshot.
    public var replicaPatience: Duration
    /// What happens at the opening with what is missing or cannot be read.
    ///
    /// With ``RecoveryPolicy/acceptingLoss`` the replica makes a snapshot of what could be read, from which the others
    /// go on. Shut all others down before, and open them again afterwards: those that can read what this one has left
    /// out would have another state.
    public var recovery: RecoveryPolicy
    /// The version of the types, and the way from older ones.
    public var schema: StateSchema
    /// The version of the reducer. Raise it when it makes something else of the same actions.
    ///
    /// Replicas of an older version wait where the first one of a newer version has joined; one of a newer version joins
    /// only if a snapshot is there that all actions for the older one are in.
    public var reducerVersion: Int
    /// Makes bytes of values.
    public var codec: any StateCodec
    /// How many actions there are from one digest of the state to the next, by which a replica finds that it makes
    /// something else of the actions than the others; nil for none. Making one takes as long as encoding the state.
    public var digestInterval: UInt64?

    /// Creates a configuration; every part has a default.
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

/// Which replica runs the effects that the reducer asks for. Whichever it is, effects are cancelled on all of them when
/// the reducer says so, and they begin when their action is in the log.
public enum EffectPlacement: Sendable, Equatable {
    /// The one that the action was sent to. If it dies, they are lost.
    case origin
    /// Each, from the moment on at which it has joined.
    case everyReplica
    /// The one that has the lease, which lasts so long unless it is renewed. If it dies, another one gets the lease, and
    /// the store's `leaseAcquired` action tells the reducer to begin again what has to go on. Effects of actions that
    /// are reduced while no replica has it are not run.
    ///
    /// What an effect still sends when its replica has lost the lease is not reduced, on any replica.
    case leaseHolder(lasting: Duration)

    var leaseDuration: Duration? {
        if case .leaseHolder(let duration) = self { max(duration, .milliseconds(100)).boundedWait } else { nil }
    }
}

/// What becomes of actions while the log cannot be reached. Those that were accepted before are kept in any case, and
/// written when there is a connection again.
public enum DisconnectionPolicy: Sendable, Equatable {
    /// They are kept, in their order, up to ``ReplicationConfiguration/pendingLimit``, and `dispatch` waits.
    case buffer
    /// They are refused with the error of the connection, such as ``ActionLogError/Code/disconnected``.
    case refuse
}

extension RetryPolicy {
    /// The wait after an attempt, of which none is the last.
    func endlessWait(afterAttempt attempt: Int) -> Duration {
        var generator = SystemRandomNumberGenerator()
        let policy = RetryPolicy(maxAttempts: .max, backoff: backoff, jitter: jitter)
        return (policy.wait(afterAttempt: max(attempt, 1), using: &generator) ?? .zero).boundedWait
    }
}
