import ActorStore

/// What has happened in the store of a ``TestStore`` and was not asserted yet. A plain value.
///
/// What it lets go of it returns, because it is changed under a lock, under which no values of the user are released.
struct TestStoreLog<State: Sendable, Action: Sendable> {
    /// An action, and the state right after it.
    struct Reduction {
        let action: Action
        let state: State
        /// Whether it is that of a dispatch that the test had given up when it was reduced. The test has failed for it,
        /// and goes on without a word.
        let isLate: Bool
    }

    /// An effect that has begun and not ended.
    struct RunningEffect {
        let effect: BegunEffect
        /// The action that asked for it, as far as it is known.
        let action: (any Sendable)?
    }

    /// What the dispatched action itself did.
    private(set) var own: [Reduction] = []
    /// How many of those that were received came before it.
    private var receivedBefore = 0
    /// How many dispatches the test has begun; the number of the last one.
    private var dispatches: UInt64 = 0
    /// Whether the test waits for the last one.
    private var isDispatching = false
    /// The number of the dispatch whose action is reduced now; nil for what others send.
    private var reducing: UInt64?
    /// What came of effects, or of others, in the order in which it was reduced.
    /// A slice, whose first elements are removed in constant time.
    private(set) var received: ArraySlice<Reduction> = []
    private var effects: [UInt64: RunningEffect] = [:]
    /// Those for whose end the test does not ask any more.
    private var skipped: Set<UInt64> = []
    /// The action of the turn.
    private var accepted: AcceptedAction?
    private var failures: [StoreFailure] = []
    private var issues: [ReportedIssue] = []
    private(set) var isDismissed = false
    /// The number of changes of the log.
    var changes = 0
    /// The value of ``changes`` when the store last had no work left.
    var quietSince: Int?

    // MARK: What happens

    /// - Returns: The number of the dispatch.
    mutating func beginDispatch() -> UInt64 {
        isDispatching = true
        dispatches += 1
        return dispatches
    }

    /// The turn of a dispatch begins, or ends.
    mutating func bracket(_ dispatch: UInt64, _ isBeginning: Bool) { reducing = isBeginning ? dispatch : nil }

    mutating func note(_ action: Action, _ state: State) {
        let isOwn = isDispatching && reducing == dispatches
        let reduction = Reduction(action: action, state: state, isLate: reducing != nil && !isOwn)
        guard isOwn else { return received.append(reduction) }
        if own.isEmpty { receivedBefore = received.count }
        own.append(reduction)
    }

    mutating func note(_ accepted: AcceptedAction) -> AcceptedAction? {
        defer { self.accepted = accepted }
        return self.accepted
    }

    mutating func begin(_ effect: BegunEffect) {
        let cause = accepted.flatMap { $0.number == effect.cause ? $0.action : nil }
        effects[effect.number] = RunningEffect(effect: effect, action: cause)
    }

    mutating func end(_ effect: BegunEffect) -> RunningEffect? {
        skipped.remove(effect.number)
        return effects.removeValue(forKey: effect.number)
    }

    mutating func note(_ failure: StoreFailure) {
        // In a test store the feature under test is presented by nobody: it says that it wants to go.
        if failure.error is NotPresented { isDismissed = true } else { failures.append(failure) }
    }

    mutating func note(_ issue: ReportedIssue) { issues.append(issue) }

    mutating func dismiss() { isDismissed = true }

    // MARK: What is asserted

    /// The effects that run, in the order in which they began.
    var running: [RunningEffect] {
        effects.filter { !skipped.contains($0.key) }.sorted { $0.key < $1.key }.map(\.value)
    }

    /// Ends the dispatch that the test waits for.
    ///
    /// - Returns: What the dispatched action itself did: more than one reduction if an interceptor has made several
    ///   actions of it, and none if one has swallowed it, or if it was not reduced in time; and what others sent that
    ///   was reduced right before it.
    mutating func endDispatch() -> (reductions: [Reduction], before: [Reduction]) {
        defer { (own, receivedBefore, isDispatching) = ([], 0, false) }
        return (own, takeReceived(receivedBefore))
    }

    /// Takes actions out, the oldest first.
    mutating func takeReceived(_ count: Int) -> [Reduction] {
        // An empty slice would keep the actions.
        defer { received = count == received.count ? [] : received.dropFirst(count) }
        return Array(received.prefix(count))
    }

    mutating func skipRunning() { skipped.formUnion(effects.keys) }

    /// What has gone wrong since it was asked last.
    mutating func takeProblems() -> (failures: [StoreFailure], issues: [ReportedIssue]) {
        defer { (failures, issues) = ([], []) }
        return (failures, issues)
    }
}
