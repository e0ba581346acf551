#if Journal
    public import ActorStorePersistence

    /// What can be chosen about a journal.
    ///
    /// ```swift
    /// var journal = JournalConfiguration(level: .interval(.milliseconds(200)))
    /// journal.retention = .snapshots(3)
    /// ```
    public struct JournalConfiguration: Sendable {
        /// When actions are on disk.
        public var level: DurabilityLevel
        /// How much happens between two snapshots.
        public var snapshots: SnapshotInterval
        /// What is kept.
        public var retention: JournalRetention
        /// What happens at the recovery with actions that cannot be read.
        public var brokenRecords: BrokenRecords
        /// The version of the types, and the way from older ones.
        public var schema: StateSchema
        /// Makes bytes of values.
        public var codec: any StateCodec
        /// How many actions may wait to be written. When there are that many, because they come faster than they are
        /// written or because the disk is full, further ones are refused: `dispatch` throws
        /// ``ActorStore/StoreError/rejected(by:)`` with "journal".
        public var pendingLimit: Int

        /// Creates a configuration; every part has a default.
        public init(
            level: DurabilityLevel = .everyAction,
            snapshots: SnapshotInterval = SnapshotInterval(),
            retention: JournalRetention = .everything,
            brokenRecords: BrokenRecords = .stop,
            schema: StateSchema = StateSchema(),
            codec: any StateCodec = JSONStateCodec(),
            pendingLimit: Int = 100_000
        ) {
            self.level = level
            self.snapshots = snapshots
            self.retention = retention
            self.brokenRecords = brokenRecords
            self.schema = schema
            self.codec = codec
            self.pendingLimit = max(pendingLimit, 1)
        }

        var coding: StateCoding { StateCoding(codec: codec, schema: schema) }
    }

    /// What a journal keeps.
    public enum JournalRetention: Sendable, Equatable {
        /// Every action and every snapshot, so that each state there ever was can be read.
        case everything
        /// So many snapshots, at least one, and the actions after the oldest of them. What comes before is deleted when
        /// there is a new one. With two or more, one that cannot be read does no harm.
        case snapshots(Int)
    }
#endif
