import ActorStore

/// `Store.send`.
struct SendingStore: Contender {
    let name = "store.send"
    private let store = Store(initialState: Account.State(), reducer: Account())

    nonisolated(nonsending) func perform(_ action: Account.Action) async { store.send(action) }
    nonisolated(nonsending) func finish() async -> Int { await store.read(\.bookings) }
}

/// `Store.dispatch`.
struct DispatchingStore: Contender {
    let name = "store.dispatch"
    private let store = Store(initialState: Account.State(), reducer: Account())

    nonisolated(nonsending) func perform(_ action: Account.Action) async {
        do {
            try await store.dispatch(action)
        } catch {
            preconditionFailure("A store that is not shut down refused an action: \(error)")
        }
    }

    nonisolated(nonsending) func finish() async -> Int { await store.read(\.bookings) }
}
