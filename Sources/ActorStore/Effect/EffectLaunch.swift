/// What is to be done outside the store's turn after an action: the tasks to start.
@usableFromInline
struct EffectLaunch: Sendable {
    /// Most actions start one effect; more are kept in an array.
    private(set) var first: EffectJob?
    private var others: [EffectJob] = []
    /// What the action's ``StoreTask`` holds on to; nil if there is nothing to wait for.
    @usableFromInline var tracker: EffectTracker?

    @usableFromInline
    init() {}

    init(_ jobs: some Sequence<EffectJob>, tracker: EffectTracker? = nil) {
        for job in jobs { add(job) }
        self.tracker = tracker
    }

    /// Whether there is anything to start.
    @usableFromInline var isNeeded: Bool { first != nil }

    mutating func add(_ job: EffectJob) {
        if first == nil { first = job } else { others.append(job) }
    }

    func forEach(_ body: (EffectJob) -> Void) {
        if let first { body(first) }
        for job in others { body(job) }
    }
}
