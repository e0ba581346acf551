/// The way of one action through the interceptors to the reducer, within a turn.
@usableFromInline
struct InterceptorChain<State: Sendable, Action: Sendable> {
    @usableFromInline let core: StoreCore<State, Action>
    /// What the stores below in the tree do with the action, before the root's reducer.
    @usableFromInline let below: () -> Void
    @usableFromInline var effect = Effect<Action>.none
    @usableFromInline var wasReduced = false
    @usableFromInline var refusal: StoreError?

    @inlinable
    init(core: StoreCore<State, Action>, below: @escaping () -> Void) {
        self.core = core
        self.below = below
    }

    /// - Returns: the effects, or why the action did not come to the reducer.
    @inlinable
    mutating func run(_ action: Action) -> Result<Effect<Action>, StoreError> {
        pass(action, to: 0)
        if wasReduced { return .success(effect) }
        return .failure(refusal ?? .rejected(by: ""))
    }

    @inlinable
    mutating func pass(_ action: Action, to index: Int) {
        guard index < core.interceptors.count else {
            below()
            effect = effect.merged(with: core.reduceAndRecord(action))
            core.pauseWriting()
            wasReduced = true
            return
        }
        let interceptor = core.interceptors[index]
        var calledNext = false
        do {
            try interceptor.active.body(action, InterceptorContext(core: core)) { next in
                calledNext = true
                pass(next, to: index + 1)
                if !wasReduced, let refusal { throw refusal }
            }
            if !calledNext { refusal = refusal ?? .rejected(by: interceptor.name) }
        } catch let error as StoreError {
            refusal = refusal ?? error
        } catch {
            refusal = refusal ?? .rejected(by: interceptor.name)
            core.report(error, ofInterceptor: interceptor.name)
        }
    }
}
