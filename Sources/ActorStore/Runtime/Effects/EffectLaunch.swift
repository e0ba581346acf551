/// What is to be done outside the store's turn after an action: the tasks to start.
@usableFromInline
struct EffectLaunch: Sendable {
    let jobs: EffectStarts
    /// What the action's ``StoreTask`` holds on to; nil if there is nothing to wait for.
    @usableFromInline let tracker: EffectTracker?

    @usableFromInline
    init() { self.init(EffectStarts()) }

    init(_ jobs: EffectStarts, tracker: EffectTracker? = nil) {
        self.jobs = jobs
        self.tracker = tracker
    }

    /// Whether there is anything to start.
    @usableFromInline var isNeeded: Bool { jobs.first != nil }
}

/// Effects whose tasks are to be started, in order.
@usableFromInline typealias EffectStarts = ShortList<EffectJob>
