#if Journal
    /// When what a store has reduced is on disk, and so what can be lost.
    ///
    /// | | the process is killed | the power is cut |
    /// |---|---|---|
    /// | ``everyAction`` | nothing for which `dispatch` has returned | the same |
    /// | ``interval(_:)`` | the actions of the last interval, and of the commit under way | the same |
    /// | ``none`` | the actions of the commit under way | all since SQLite last copied its log into the database |
    ///
    /// What is lost is always the newest, without gaps, and never in part.
    public enum DurabilityLevel: Sendable, Equatable {
        /// `dispatch` returns when its action is on disk. Those that are dispatched at the same time share one
        /// transaction and one wait for the disk.
        case everyAction
        /// `dispatch` returns when its action has been reduced. What was reduced is written, and the disk waited for,
        /// at the latest when so much time has passed.
        case interval(Duration)
        /// `dispatch` returns when its action has been reduced. What was reduced is handed to the system at once, and
        /// nobody waits for the disk.
        case none
    }
#endif
