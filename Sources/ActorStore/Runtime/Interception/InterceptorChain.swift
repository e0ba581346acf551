extension StoreCore {
    /// Uses the interceptors that the store comes with, before anything else.
    func useFirst(_ interceptors: [Interceptor<State, Action>]) {
        guard interceptors.count > 0 else { return }
        submit { core in core.installFirst(interceptors) }
    }

    /// The same, in the turn.
    func installFirst(_ interceptors: [Interceptor<State, Action>]) {
        for interceptor in interceptors { install(interceptor, InterceptorIdentity(), at: .innermost) }
    }

    /// Uses an interceptor from now on, after all that was accepted before.
    @usableFromInline
    func use(_ interceptor: Interceptor<State, Action>, at position: InterceptorPosition) -> Interception {
        let identity = InterceptorIdentity()
        submit { core in core.install(interceptor, identity, at: position) }
        return Interception(identity) { [weak self] identity in
            self?.submit { core in core.uninstall(identity) }
        }
    }

    private func install(
        _ interceptor: Interceptor<State, Action>,
        _ identity: InterceptorIdentity,
        at position: InterceptorPosition
    ) {
        guard !lifecycle.isEnded, hasState else { return }
        let installed = InstalledInterceptor(interceptor, identity, in: WeakStore(core: self))
        interceptors.insert(installed, at: position)
        extras.insert(.interceptors)
        if interceptor.keepsActions { keepsActions = true }
    }

    private func uninstall(_ identity: InterceptorIdentity) {
        guard let removed = interceptors.uninstall(identity) else { return }
        extras.set(.interceptors, to: interceptors.count > 0)
        removed.retire(in: self)
    }

    /// Takes all interceptors out, because the store has ended.
    func uninstallInterceptors() {
        guard interceptors.count > 0 else { return }
        let removed = interceptors
        interceptors = []
        extras.remove(.interceptors)
        for interceptor in removed { interceptor.retire(in: self) }
    }
}

extension TreeRoot {
    /// Counts an action that an interceptor has stopped.
    @usableFromInline
    final func noteRejection() { rejectedActions.addRelaxed(1) }

    /// Publishes an error of an interceptor. In the turn.
    @usableFromInline
    final func report(_ error: any Error, ofInterceptor name: String) {
        report(StoreFailure(error: error, origin: .interceptor(named: name)))
    }
}

extension Array {
    /// Puts an interceptor into the chain.
    @usableFromInline
    mutating func insert<State, Action>(_ interceptor: Element, at position: InterceptorPosition)
    where Element == InstalledInterceptor<State, Action> {
        let end = last?.staysInnermost == true ? count - 1 : count
        insert(interceptor, at: position == .outermost ? 0 : end)
    }
}

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
