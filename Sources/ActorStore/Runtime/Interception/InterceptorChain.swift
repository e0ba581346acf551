/// The way of one action through the interceptors to what is at their end, within a turn.
@usableFromInline
struct InterceptorChain<End: InterceptorChainEnd> {
    @usableFromInline var end: End
    @usableFromInline var wasReduced = false
    @usableFromInline var refusal: StoreError?

    @inlinable
    init(to end: End) {
        self.end = end
    }

    /// - Returns: why the action was not reduced; nil if it was.
    @inlinable
    mutating func run(_ action: End.Action) -> StoreError? {
        pass(action, to: 0)
        return wasReduced ? nil : refusal ?? .rejected(by: "")
    }

    @inlinable
    mutating func pass(_ action: End.Action, to index: Int) {
        guard index < end.interceptors.count else {
            if let error = end.reduce(action) { refusal = refusal ?? error } else { wasReduced = true }
            return
        }
        let interceptor = end.interceptors[index]
        var calledNext = false
        do {
            try interceptor.active.body(action, end.context) { next in
                calledNext = true
                pass(next, to: index + 1)
                if !wasReduced, let refusal { throw refusal }
            }
            if !calledNext { refusal = refusal ?? .rejected(by: interceptor.name) }
        } catch let error as StoreError {
            refusal = refusal ?? error
        } catch {
            refusal = refusal ?? .rejected(by: interceptor.name)
            end.root.report(error, ofInterceptor: interceptor.name)
        }
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
    @usableFromInline var effect = Effect<Action>.none

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
        below()
        effect = effect.merged(with: core.reduceAndRecord(action))
        core.pauseWriting()
        return nil
    }
}
