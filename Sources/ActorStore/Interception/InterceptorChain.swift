/// The way of one action through the interceptors to the reducer, within a turn.
struct InterceptorChain<State: Sendable, Action: Sendable> {
    let core: StoreCore<State, Action>
    /// What the stores below in the tree do with the action, before the root's reducer.
    private let below: () -> Void
    private var effects: [Effect<Action>] = []
    private var wasReduced = false
    private var refusal: StoreError?

    init(core: StoreCore<State, Action>, below: @escaping () -> Void) {
        self.core = core
        self.below = below
    }

    /// - Returns: the effects, or why the action did not come to the reducer.
    mutating func run(_ action: Action) -> Result<Effect<Action>, StoreError> {
        pass(action, to: 0)
        if wasReduced { return .success(.merge(effects)) }
        return .failure(refusal ?? .rejected(by: ""))
    }

    private mutating func pass(_ action: Action, to index: Int) {
        guard index < core.interceptors.count else {
            below()
            effects.append(core.reduceAndRecord(action))
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
            core.failures.report(StoreFailure(error: error, origin: .interceptor(named: interceptor.name)))
        }
    }
}
