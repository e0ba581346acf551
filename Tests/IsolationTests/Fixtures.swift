import ActorStore

struct Counter: Reducer {
    enum Action: Sendable {
        case increase
        case take(Take)
        case doubled(Int)
    }

    func reduce(into count: inout Int, action: Action) -> Effect<Action> {
        switch action {
        case .increase:
            count += 1
            return .none
        case .take(let request): return .answer(request.reduce(into: &count))
        case .doubled(let value):
            count = 2 * value
            return .run { send in send(.increase) }
        }
    }
}

struct Take: Request {
    static let casePath = CasePath<Counter.Action, Take>(embed: Counter.Action.take) { action in
        if case .take(let request) = action { request } else { nil }
    }

    func reduce(into count: inout Int) -> Int {
        count -= 1
        return count
    }
}

typealias CounterStore = Store<Int, Counter.Action>

/// The state of a store at the call.
enum Condition: CaseIterable {
    /// So that calls return without suspending their task.
    case idle
    /// So that calls suspend their task.
    case loading
    /// So that calls throw.
    case shutDown

    func makeStore() async -> CounterStore {
        guard self == .loading else {
            let store = Store(initialState: 0, reducer: Counter())
            if self == .shutDown { await store.shutdown(drain: .cancelEffects) }
            return store
        }
        return Store(
            initialState: 0,
            loading: {
                try await Task.sleep(for: .milliseconds(2))
                return 0
            },
            reducer: Counter()
        )
    }
}
