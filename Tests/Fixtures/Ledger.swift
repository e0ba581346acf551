import ActorStore

/// A list of numbered entries, by sender, with a note; the fixture of most tests.
struct Ledger: Reducer {
    struct State: Equatable, Sendable {
        var total = 0
        var entries: [Entry] = []
        var note = ""
        /// Computed, so that it can only be observed by value.
        var isEven: Bool { total.isMultiple(of: 2) }
    }

    struct Entry: Equatable, Sendable {
        var sender = 0
        var number = 0
    }

    enum Action: Sendable {
        case add(Int)
        case enter(Entry)
        case write(String)
        /// Blocks the reducer until released.
        case hold(Hold)
        /// Starts an effect.
        case start(Effect<Action>)
    }

    func reduce(into state: inout State, action: Action) -> Effect<Action> {
        switch action {
        case .add(let amount):
            state.total += amount
        case .enter(let entry):
            state.total += 1
            state.entries.append(entry)
        case .write(let note):
            state.note = note
        case .hold(let hold):
            hold.enter()
        case .start(let effect):
            return effect
        }
        return .none
    }

    static func store(
        interceptors: [Interceptor<State, Action>] = [],
        configuration: StoreConfiguration = StoreConfiguration()
    ) -> Store<State, Action> {
        Store(initialState: State(), reducer: Ledger(), interceptors: interceptors, configuration: configuration)
    }

    /// A child with its own state, which sends nothing up.
    static func child<Parent>(of store: Store<Parent, Action>) -> Store<ParentAndChild<Parent, State>, Action> {
        store.child(initialState: State(), reducer: Ledger(), action: { _ in nil })
    }
}

extension Ledger {
    /// The error of a failed loading.
    struct Unreadable: Error {}

    /// A store whose loading fails when the latch opens.
    static func storeWithoutState(failingAfter latch: Latch, initialState: State = State()) -> Store<State, Action> {
        Store(
            initialState: initialState,
            loading: {
                await latch.wait()
                throw Unreadable()
            },
            reducer: Ledger()
        )
    }
}

extension Ledger.Action {
    static func enter(_ sender: Int, _ number: Int) -> Self {
        .enter(Ledger.Entry(sender: sender, number: number))
    }
}
