#if Journal
    /// What a recovery found in a journal, and what it did with it.
    public struct RecoveryReport: Sendable, Equatable {
        /// The revision of the state that came of it.
        public internal(set) var revision: UInt64 = 0
        /// The revision of the snapshot that it began with; nil if that was the initial state.
        public internal(set) var snapshot: UInt64?
        /// How many actions were replayed on that.
        public internal(set) var replayedActions = 0
        /// Snapshots that could not be used, and, with ``BrokenRecords/skip``, records that were left out.
        public internal(set) var skipped: [JournalError] = []
        /// The revisions of all records that the `skipped` name, also of each that is missing in a gap.
        var skippedRecords = RangeSet<UInt64>()

        init() {}
    }

    /// What a recovery does when it finds an action that it cannot read, or that is missing.
    public enum BrokenRecords: Sendable, Equatable {
        /// It stops, with a ``JournalError`` that names the file, the revision and the cause; nothing is changed.
        case stop
        /// It leaves it out, and says so in the ``RecoveryReport``: for whoever would rather have most of it than
        /// nothing. ``DurableStore/state(at:isolation:)`` leaves out the same actions, and no others.
        case skip
    }
#endif
