#if Journal
    /// Figures about a journal at one moment, for diagnostics and metrics.
    public struct JournalStatistics: Sendable, Equatable {
        /// The revision of the newest action that has been reduced.
        public let revision: UInt64
        /// The revision of the newest action that is on disk, or that the system has, with ``DurabilityLevel/none``.
        public let committedRevision: UInt64
        /// How many actions wait to be written.
        public let pendingActions: Int
        /// How many transactions there were since the start: fewer than actions, because those that come at the same
        /// time share one.
        public let commits: UInt64
        /// The revision of the newest snapshot that is on disk, from which the next start begins; nil if there is none.
        /// If it falls far behind, actions come faster than snapshots can be written.
        public let snapshotRevision: UInt64?
        /// Why the last attempt to write failed; nil when one has succeeded since.
        public let failure: JournalError?
        /// What went wrong last with a snapshot or a compaction, which nobody may have waited for.
        public let lastProblem: JournalError?
    }
#endif
