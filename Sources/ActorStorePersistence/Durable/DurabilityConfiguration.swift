/// The configuration of a durable store.
///
/// ```swift
/// var durability = DurabilityConfiguration(level: .interval(.milliseconds(200)))
/// durability.retention = .snapshots(3)
/// ```
public struct DurabilityConfiguration: Sendable {
    /// The moment at which `dispatch` returns.
    public var level: DurabilityLevel
    /// The moment at which effects start.
    public var effects: EffectStart
    /// The interval between two snapshots.
    public var snapshots: SnapshotInterval
    /// Whether a shutdown writes a snapshot, so that the next program need not reduce earlier actions.
    public var snapshotAtShutdown: Bool
    /// The entries and snapshots that the log keeps.
    public var retention: LogRetention
    /// The policy of the recovery for missing or unreadable entries.
    public var recovery: RecoveryPolicy
    /// The version of the types, and the migration from older versions.
    public var schema: StateSchema
    /// The version of the reducer. Raise it if the reducer produces a different state from the logged actions. The
    /// store then does not reduce those actions, but starts from a snapshot after them, which a shutdown of the older
    /// program writes.
    public var reducerVersion: Int
    /// The codec for actions and states.
    public var codec: any StateCodec
    /// The maximum number of actions that wait to be written. At the limit, further actions are refused, whether they
    /// arrive faster than they are written or the log does not respond.
    public var pendingLimit: Int { didSet { pendingLimit = max(pendingLimit, 1) } }
    /// The maximum number of bytes of actions that wait to be written.
    public var pendingByteLimit: Int { didSet { pendingByteLimit = max(pendingByteLimit, 1) } }
    /// The duration for which a failed write is retried, if it may succeed later: the disk is full, or the server is
    /// unreachable. After that, the store accepts no more actions. If it deletes what takes the room of actions, the
    /// duration begins again whenever there is more to delete.
    public var retryLimit: Duration
    /// The number of actions between two digests of the state; nil for no digests. With digests, a recovery detects
    /// that its reducer produces a different state from the actions.
    ///
    /// Computing a digest takes as long as encoding the state, and runs concurrently with the store. At most two are
    /// computed at a time; digests that are due meanwhile are skipped.
    ///
    /// The order of sets and dictionaries does not matter if they are passed to a container. A type that encodes itself
    /// with `try elements.encode(to: encoder)` has the order of the process, and appears to have diverged: encode
    /// `elements` into `encoder.singleValueContainer()` instead.
    public var digestInterval: UInt64?
    /// Whether the store keeps a ``DurableStore/confirmed`` state of the acknowledged actions. It costs a second
    /// reduction of each action, and memory for the parts that the two states do not share.
    public var keepsConfirmedState: Bool
    /// The duration of the right to write without a renewal. A suspended program blocks the log for other programs for
    /// up to this duration; one that was suspended in the middle of a write to a file, until it continues or ends. At
    /// least 100 ms: a shorter duration is replaced.
    public var leaseDuration: Duration {
        didSet { leaseDuration = max(leaseDuration, Self.shortestLease) }
    }
    /// The maximum wait while another store has the right to write, or another program has locked the file; cancelling
    /// the task ends the wait. If this program cannot read the log without a newer snapshot, it also waits for that
    /// snapshot.
    ///
    /// Zero by default, so that opening throws ``ActionLogError/Code/inUse`` as soon as it has read the log. A program
    /// that is restarted after a crash, with its log on a server, has to wait for longer than ``leaseDuration``.
    /// Opening does not wait for an unreachable server.
    public var openingTimeout: Duration

    /// Creates a configuration. Every parameter has a default.
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
        self.leaseDuration = max(leaseDuration, Self.shortestLease)
        self.openingTimeout = openingTimeout
    }

    private static var shortestLease: Duration { .milliseconds(100) }

    var coding: StateCoding { StateCoding(codec: codec, schema: schema) }
}

/// The moment at which `dispatch` of a durable store returns.
public enum DurabilityLevel: Sendable, Equatable {
    /// When the log has acknowledged the action. Actions that are dispatched concurrently are written together.
    case everyAction
    /// When the action has been reduced. It is written within this time. Actions that are not written yet are lost if
    /// the process ends.
    case interval(Duration)
}

/// The moment at which the effects of an action start.
public enum EffectStart: Sendable, Equatable {
    /// When the log has acknowledged the action, so that no effect of a lost action starts. The effects of all actions
    /// start in the order of the actions.
    case afterCommit
    /// When the action has been reduced. A crash can lose an action whose effects have started.
    case atOnce
}
