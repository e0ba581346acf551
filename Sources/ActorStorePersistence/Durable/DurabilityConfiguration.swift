/// What can be chosen about a durable store.
///
/// ```swift
/// var durability = DurabilityConfiguration(level: .interval(.milliseconds(200)))
/// durability.retention = .snapshots(3)
/// ```
public struct DurabilityConfiguration: Sendable {
    /// When `dispatch` returns.
    public var level: DurabilityLevel
    /// When effects begin.
    public var effects: EffectStart
    /// How much happens between two snapshots.
    public var snapshots: SnapshotInterval
    /// Whether a shutdown makes one, so that the next program need not reduce what came before.
    public var snapshotAtShutdown: Bool
    /// What is kept.
    public var retention: LogRetention
    /// What happens at the recovery with what is missing or cannot be read.
    public var recovery: RecoveryPolicy
    /// The version of the types, and the way from older ones.
    public var schema: StateSchema
    /// The version of the reducer. Raise it when it makes something else of the actions that are in the log: they are
    /// then not reduced by it, but taken from a snapshot, which a shutdown of the older program makes.
    public var reducerVersion: Int
    /// Makes bytes of values.
    public var codec: any StateCodec
    /// How many actions may wait to be written. When there are that many, because they come faster than they are
    /// written or because the log does not answer, further ones are refused.
    public var pendingLimit: Int
    /// How many bytes of actions may wait to be written.
    public var pendingByteLimit: Int
    /// How long writing is tried again when it has failed and may succeed later: the disk is full, or the server cannot
    /// be reached. Then the store takes no more actions.
    public var retryLimit: Duration
    /// How many actions there are from one digest of the state to the next, by which a recovery finds that its reducer
    /// makes something else of the actions; nil for none. Making one takes as long as encoding the state, beside the
    /// store; at most two are made at a time, and those that are due meanwhile are left out.
    ///
    /// Sets and dictionaries count in any order, wherever a container is given one. A type that encodes itself as one, by
    /// `try elements.encode(to: encoder)`, has the order of the process, and would be taken for diverged: have it encode
    /// `elements` into `encoder.singleValueContainer()`.
    public var digestInterval: UInt64?
    /// Whether there is a ``DurableStore/confirmed`` state beside the one that may still be lost. It costs a second
    /// reduction of each action, and the memory of what the two states do not share.
    public var keepsConfirmedState: Bool
    /// How long the right to write lasts without being renewed: so long a program that stands still keeps others from
    /// the log.
    public var leaseDuration: Duration
    /// How long the opening waits while another store has the right to write; a cancelled task waits no longer. If what
    /// is in the log cannot be read by this program without a newer snapshot, it waits for that as well.
    public var openingTimeout: Duration

    /// Creates a configuration; every part has a default.
    public init(
        level: DurabilityLevel = .everyAction,
        effects: EffectStart = .afterCommit,
        snapshots: SnapshotInterval = SnapshotInterval(),
        snapshotAtShutdown: Bool = true,
        retention: LogRetention = .everything,
        recovery: RecoveryPolicy = .strict,
        schema: StateSchema = StateSchema(),
        reducerVersion: Int = 1,
        codec: any StateCodec = JSONStateCodec(),
        pendingLimit: Int = 100_000,
        pendingByteLimit: Int = 256 << 20,
        retryLimit: Duration = .seconds(30),
        digestInterval: UInt64? = 10_000,
        keepsConfirmedState: Bool = false,
        leaseDuration: Duration = .seconds(10),
        openingTimeout: Duration = .zero
    ) {
        self.level = level
        self.effects = effects
        self.snapshots = snapshots
        self.snapshotAtShutdown = snapshotAtShutdown
        self.retention = retention
        self.recovery = recovery
        self.schema = schema
        self.reducerVersion = reducerVersion
        self.codec = codec
        self.pendingLimit = max(pendingLimit, 1)
        self.pendingByteLimit = max(pendingByteLimit, 1)
        self.retryLimit = retryLimit
        self.digestInterval = digestInterval
        self.keepsConfirmedState = keepsConfirmedState
        self.leaseDuration = max(leaseDuration, .milliseconds(100))
        self.openingTimeout = openingTimeout
    }

    var coding: StateCoding { StateCoding(codec: codec, schema: schema) }
}

/// When `dispatch` of a durable store returns.
public enum DurabilityLevel: Sendable, Equatable {
    /// When the log has acknowledged the action. Actions that are dispatched at the same time are written together.
    case everyAction
    /// When the action has been reduced; it is written within this time. What was not is lost if the process ends.
    case interval(Duration)
}

/// When the effects of an action begin.
public enum EffectStart: Sendable, Equatable {
    /// When the log has acknowledged the action, so that nothing is done about an action that is lost. The effects of
    /// all actions begin in the order of these.
    case afterCommit
    /// When the action has been reduced. A crash can lose an action whose effects have begun.
    case atOnce
}
