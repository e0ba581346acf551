import ActorStore

/// The events in the store of a ``TestStore`` that were not asserted yet. A plain value.
///
/// It returns what it removes, because it is changed under a lock, under which no user values are released.
struct TestStoreLog<State: Sendable, Action: Sendable> {
    /// An action, and the state directly after it.
    struct Reduction {
        let action: Action
        let state: State
        /// Whether its dispatch had timed out when it was reduced. The test has failed for that, and skips it without a
        /// message.
        let isLate: Bool
    }

    /// An effect that has begun and not ended.
    struct RunningEffect {
        let effect: BegunEffect
        /// The action that started it, if known.
        let action: (any Sendable)?
    }

    /// The reductions of the dispatched action itself.
    private(set) var own: [Reduction] = []
    /// The number of received actions that were reduced before it.
    private var receivedBefore = 0
    /// The number of dispatches of the test, which is also that of the last one.
    private var dispatches: UInt64 = 0
    /// Whether the test waits for the last one.
    private var isDispatching = false
    /// The number of the dispatch whose action is being reduced; nil for an action of another sender.
    private var reducing: UInt64?
    /// The actions of effects, or of other senders, in the order of reduction. A slice, whose first elements are
    /// removed in constant time.
    private(set) var received: ArraySlice<Reduction> = []
    private var effects: [UInt64: RunningEffect] = [:]
    /// The effects whose end the test does not require any more.
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

    /// Begins a dispatch of the test.
    ///
    /// - Returns: The number of the dispatch.
    mutating func beginDispatch() -> UInt64 {
        isDispatching = true
        dispatches += 1
        return dispatches
    }

    /// Begins or ends the turn of a dispatch.
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
        // In a test store no parent presents the feature under test: the error is a request to be dismissed.
        if failure.error is NotPresented { isDismissed = true } else { failures.append(failure) }
    }

    mutating func note(_ issue: ReportedIssue) { issues.append(issue) }

    mutating func dismiss() { isDismissed = true }

    // MARK: What is asserted

    /// The running effects, in the order in which they began.
    ///
    /// - Complexity: O(n log n), where n is their number.
    var running: [RunningEffect] {
        effects.filter { !skipped.contains($0.key) }.sorted { $0.key < $1.key }.map(\.value)
    }

    /// Ends the dispatch that the test waits for.
    ///
    /// - Returns: The reductions of the dispatched action itself: several if an interceptor has replaced it by several
    ///   actions, and none if an interceptor has stopped it, or if it was not reduced in time; and the actions of other
    ///   senders that were reduced directly before it.
    mutating func endDispatch() -> (reductions: [Reduction], before: [Reduction]) {
        defer { (own, receivedBefore, isDispatching) = ([], 0, false) }
        return (own, takeReceived(receivedBefore))
    }

    /// Removes actions, the oldest first.
    mutating func takeReceived(_ count: Int) -> [Reduction] {
        // An empty slice would retain the actions.
        defer { received = count == received.count ? [] : received.dropFirst(count) }
        return Array(received.prefix(count))
    }

    mutating func skipRunning() { skipped.formUnion(effects.keys) }

    /// Removes and returns the errors and issues since the last call.
    mutating func takeProblems() -> (failures: [StoreFailure], issues: [ReportedIssue]) {
        defer { (failures, issues) = ([], []) }
        return (failures, issues)
    }
}
