extension StoreCore {
    /// Installs the interceptors that the store is created with, before anything else happens in the store.
    func useFirst(_ interceptors: [Interceptor<State, Action>]) {
        guard interceptors.count > 0 else { return }
        submit { core in core.installFirst(interceptors) }
    }

    /// Installs the interceptors that the store is created with. Called within the turn.
    func installFirst(_ interceptors: [Interceptor<State, Action>]) {
        for interceptor in interceptors { install(interceptor, InterceptorIdentity(), at: .innermost) }
    }

    /// Adds an interceptor, after everything that was accepted before.
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

    /// Removes all interceptors, because the store has ended.
    func uninstallInterceptors() {
        guard interceptors.count > 0 else { return }
        let removed = interceptors
        interceptors = []
        extras.remove(.interceptors)
        for interceptor in removed { interceptor.retire(in: self) }
    }
}

extension TreeRoot {
    /// Counts an action that an interceptor rejected.
    @usableFromInline
    final func noteRejection() { rejectedActions.addRelaxed(1) }

    /// Publishes an error of an interceptor. Called within the turn.
    @usableFromInline
    final func report(_ error: any Error, ofInterceptor name: String) {
        report(StoreFailure(error: error, origin: .interceptor(named: name)))
    }
}

extension Array {
    /// Inserts an interceptor into the chain.
    @usableFromInline
    mutating func insert<State, Action>(_ interceptor: Element, at position: InterceptorPosition)
    where Element == InstalledInterceptor<State, Action> {
        let end = last?.staysInnermost == true ? count - 1 : count
        insert(interceptor, at: position == .outermost ? 0 : end)
    }
}

/// Passes one action through the interceptors to the end of the chain, within a turn.
@usableFromInline
struct InterceptorChain<End: InterceptorChainEnd> {
    @usableFromInline var end: End

    @inlinable
    init(to end: End) {
        self.end = end
    }

    /// Passes an action through the interceptors, starting at an index. Each call of `next` has its own verdict.
    ///
    /// - Parameters:
    ///   - action: The action that reached the index.
    ///   - index: The index of the next interceptor.
    /// - Returns: The reason why the action was not reduced; `nil` if it, or an action passed on in its place, was.
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

/// The combined result of an interceptor's calls of `next` for one action. A plain value.
@usableFromInline
struct InterceptorVerdict {
    /// Whether an action that was passed on was reduced, by any call.
    @usableFromInline private(set) var wasReduced = false
    /// The interceptor's own reason for refusing the action; otherwise the reason of the first refused call.
    @usableFromInline private(set) var refusal: StoreError?
    /// Whether this interceptor refused the action before one further inside did. An inner interceptor counts its own
    /// refusal.
    @usableFromInline private(set) var isRefusedHere = false
    /// The reasons of refused calls of `next`. Each is stored once, because an interceptor may retry without limit.
    private var refusals: [StoreError] = []

    @usableFromInline
    init() {}

    /// Whether the interceptor has neither passed on nor refused anything.
    @usableFromInline var isOpen: Bool { !wasReduced && refusal == nil }

    /// Adds the result of a call.
    ///
    /// - Parameter refusal: The reason why the action was not reduced; `nil` if it was.
    /// - Returns: The same reason.
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

    /// Whether an error thrown by the interceptor is its own, rather than one thrown by `next`.
    @usableFromInline
    func isOwn(_ error: StoreError) -> Bool { !refusals.contains(error) }

    /// Records that the interceptor itself refuses the action. This has no effect if an action was reduced.
    @usableFromInline
    mutating func refuse(_ error: StoreError) {
        if wasReduced { return }
        isRefusedHere = refusal == nil
        refusal = error
    }
}

/// What interceptors wrap. A protocol, so that the chain is specialised for each kind.
@usableFromInline
protocol InterceptorChainEnd {
    associatedtype State: Sendable
    associatedtype Action: Sendable

    /// The chain, outermost first.
    var interceptors: [InstalledInterceptor<State, Action>] { get }
    /// The context that the interceptors receive.
    var context: InterceptorContext<State, Action> { get }
    var root: TreeRoot { get }
    /// Reduces an action that passed the chain. The state is at rest afterwards.
    ///
    /// - Returns: The reason why the action was not reduced; `nil` if it was.
    mutating func reduce(_ action: Action) -> StoreError?
}

/// The end of a root's interceptor chain, which reduces actions.
@usableFromInline
struct InterceptedRoot<State: Sendable, Action: Sendable>: InterceptorChainEnd {
    @usableFromInline let core: StoreCore<State, Action>
    /// Reduces the action in the stores below, before the root's reducer.
    @usableFromInline let below: () -> Void
    /// Whether `below` has run. It runs once for an action, even if interceptors turn the action into several.
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
            core.checkTablesBetweenActions()
        } else {
            hasReducedBelow = true
            below()
        }
        core.keep(core.reduceAndRecord(action))
        // Also after the last action: observers of a table that has returned to its value before the turn are not
        // notified.
        if isFurther { core.checkTablesBetweenActions() }
        core.pauseWriting()
        return nil
    }
}
