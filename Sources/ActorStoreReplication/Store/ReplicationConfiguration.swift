#if Replication
    public import ActorStore
    public import ActorStorePersistence

    /// What can be chosen about a replica. All replicas of a stream need the same ``effects``.
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
        /// What becomes of actions while the server cannot be reached.
        public var whileDisconnected: DisconnectionPolicy
        /// How many actions of this replica may wait to be appended and reduced; further ones are refused as
        /// ``ReplicationError/Cause/overloaded(limit:)``.
        public var pendingLimit: Int
        /// How the waits between attempts to connect grow. Its number of attempts does not count: there is no last one.
        public var reconnection: RetryPolicy
        /// How many actions there are between two snapshots, which replicas that join begin with; `.max` for none.
        public var snapshotInterval: UInt64
        /// Which entries of the stream are deleted.
        public var trimming: StreamTrimming
        /// The version of the types, and the way from older ones.
        public var schema: StateSchema
        /// Makes bytes of values.
        public var codec: any StateCodec

        /// Creates a configuration; every part has a default.
        public init(
            name: String = "replica",
            effects: EffectPlacement = .origin,
            whileDisconnected: DisconnectionPolicy = .buffer,
            pendingLimit: Int = 10_000,
            reconnection: RetryPolicy = RetryPolicy(
                maxAttempts: .max,
                backoff: .exponential(base: .milliseconds(20), cap: .seconds(2)),
                jitter: .full
            ),
            snapshotInterval: UInt64 = 10_000,
            trimming: StreamTrimming = .behindSnapshots(),
            schema: StateSchema = StateSchema(),
            codec: any StateCodec = JSONStateCodec()
        ) {
            self.name = name
            self.effects = effects
            self.whileDisconnected = whileDisconnected
            self.pendingLimit = max(pendingLimit, 1)
            self.reconnection = reconnection
            self.snapshotInterval = max(snapshotInterval, 1)
            self.trimming = trimming
            self.schema = schema
            self.codec = codec
        }

        var coding: StateCoding { StateCoding(codec: codec, schema: schema) }
    }

    /// Which replica runs the effects that the reducer asks for. Whichever it is, effects are cancelled on all of them
    /// when the reducer says so.
    public enum EffectPlacement: Sendable, Equatable {
        /// The one that the action was sent to. If it dies, they are lost.
        case origin
        /// Each, from the moment on at which it has joined.
        case everyReplica
        /// The one that has the lease, which lasts so long unless it is renewed. If it dies, another one gets the
        /// lease, and the store's `leaseAcquired` action tells the reducer to begin again what has to go on. Effects of
        /// actions that are reduced while nobody has it are not run.
        ///
        /// What an effect still sends when its replica has lost the lease is not reduced, on any replica.
        case leaseHolder(lasting: Duration)

        var leaseDuration: Duration? {
            if case .leaseHolder(let duration) = self { max(duration, .milliseconds(100)) } else { nil }
        }
    }

    /// Which entries of a stream are deleted.
    public enum StreamTrimming: Sendable, Equatable {
        /// None.
        case never
        /// Those before the second newest snapshot that all replicas have reduced which have been heard of within this
        /// time. One that has been away for longer begins with the newest snapshot when it is back.
        case behindSnapshots(patience: Duration = .seconds(300))
    }
#endif
