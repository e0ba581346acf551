/// The way of one action through the interceptors to what is at their end, within a turn.
@usableFromInline
struct InterceptorChain<End: InterceptorChainEnd> {
    @usableFromInline var end: End

    @inlinable
    init(to end: End) {
        self.end = end
    }

    /// Has an action pass through the interceptors from a place on. Each call of `next` has a verdict of its own.
    ///
    /// - Parameters:
    ///   - action: The action that has come there.
    ///   - index: The place of the interceptor that it has come to.
    /// - Returns: Why it was not reduced; nil if it was, or something that was passed on in its place.
    @inlinable
    mutating func pass(_ action: End.Action, to index: Int = 0) -> StoreError? {
        guard index < end.interceptors.count else { return end.reduce(action) }
        let interceptor = end.interceptors[index]
        var verdict = InterceptorVerdict()
        do {
            try interceptor.active.body(action, end.context) { next in
                if let refusal = verdict.add(pass(next, to: index + 1)) { throw refusal }
            }
        } catch let error as StoreError {
            if verdict.wasReduced, verdict.isOwn(error) { end.root.report(error, ofInterceptor: interceptor.name) }
            verdict.refuse(error)
        } catch {
            end.root.report(error, ofInterceptor: interceptor.name)
            verdict.refuse(.rejected(by: interceptor.name))
        }
        if verdict.isOpen { verdict.refuse(.rejected(by: interceptor.name)) }
        if verdict.isRefusedHere { end.root.noteRejection() }
        return verdict.wasReduced ? nil : verdict.refusal
    }
}

/// What became of the calls of `next` of one interceptor for one action: a plain value.
@usableFromInline
struct InterceptorVerdict {
    /// Whether what was passed on was reduced, by any call.
    @usableFromInline private(set) var wasReduced = false
    /// What the interceptor itself has refused the action with, or else why the first call that was refused was.
    @usableFromInline private(set) var refusal: StoreError?
    /// Whether the interceptor has refused it before one further inside has, which counts it then.
    @usableFromInline private(set) var isRefusedHere = false
    /// Why calls of `next` were refused; each reason once, because an interceptor may try again without end.
    private var refusals: [StoreError] = []

    @usableFromInline
    init() {}

    /// Whether nothing was passed on, and nothing refused.
    @usableFromInline var isOpen: Bool { !wasReduced && refusal == nil }

    /// Adds what became of a call.
    ///
    /// - Parameter refusal: Why the action was not reduced; nil if it was.
    /// - Returns: The same.
    @usableFromInline
    mutating func add(_ refusal: StoreError?) -> StoreError? {
        if let refusal {
            if self.refusal == nil { self.refusal = refusal }
            if isOwn(refusal) { refusals.append(refusal) }
        } else {
            wasReduced = true
        }
        return refusal
    }

    /// Whether an error that the interceptor has thrown is its own, and not one that `next` has thrown.
    @usableFromInline
    func isOwn(_ error: StoreError) -> Bool { !refusals.contains(error) }

    /// The interceptor itself refuses the action, which means nothing if something was reduced.
    @usableFromInline
    mutating func refuse(_ error: StoreError) {
        if wasReduced { return }
        isRefusedHere = refusal == nil
        refusal = error
    }
}

/// What interceptors stand around. A protocol, so that the chain is compiled for each kind.
@usableFromInline
protocol InterceptorChainEnd {
    associatedtype State: Sendable
    associatedtype Action: Sendable

    /// The chain, the outermost first.
    var interceptors: [InstalledInterceptor<State, Action>] { get }
    /// What the interceptors are given.
    var context: InterceptorContext<State, Action> { get }
    var root: TreeRoot { get }
    /// Has an action reduced that they let through; the state is at rest afterwards.
    ///
    /// - Returns: why it was not reduced; nil if it was.
    mutating func reduce(_ action: Action) -> StoreError?
}

/// The reducers at the end of a root's interceptors.
@usableFromInline
struct InterceptedRoot<State: Sendable, Action: Sendable>: InterceptorChainEnd {
    @usableFromInline let core: StoreCore<State, Action>
    /// What the stores below in the tree do with the action, before the root's reducer.
    @usableFromInline let below: () -> Void
    /// Whether they have: for them it is one action, whatever the interceptors make of it.
    @usableFromInline var hasReducedBelow = false

    @inlinable
    init(core: StoreCore<State, Action>, below: @escaping () -> Void) {
        self.core = core
        self.below = below
    }

    @inlinable var interceptors: [InstalledInterceptor<State, Action>] { core.interceptors }
    @inlinable var context: InterceptorContext<State, Action> { InterceptorContext(.root(core)) }
    @inlinable var root: TreeRoot { core }

    @inlinable
    mutating func reduce(_ action: Action) -> StoreError? {
        let isFurther = hasReducedBelow
        if isFurther {
            core.lookAtTablesBetweenActions()
        } else {
            hasReducedBelow = true
            below()
        }
        core.keep(core.reduceAndRecord(action))
        // Also after the last one: of a table that is as it was before the turn nobody is told.
        if isFurther { core.lookAtTablesBetweenActions() }
        core.pauseWriting()
        return nil
    }
}
