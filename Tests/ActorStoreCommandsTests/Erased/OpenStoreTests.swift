import ActorStore
import ActorStoreCommands
import Testing

@testable import TestFixtures

@Suite("Open stores", .timeLimit(.minutes(10)))
struct OpenStoreTests {
    struct Withdrawal: Dispatchable { let amount: Int }
    struct Unknown: Dispatchable {}
    class Event: Dispatchable, @unchecked Sendable {}
    final class SpecialEvent: Event, @unchecked Sendable {}
    enum Signal: Dispatchable { case closed }

    func store(
        interceptors: [Interceptor<Account, any Dispatchable>] = []
    ) -> OpenStore<Account> {
        OpenStore<Account>(
            initialState: Account(),
            reducer: Combine {
                On(Withdrawal.self) { state, withdrawal in state.balance -= withdrawal.amount }
                On(Event.self) { state, _ in state.notes.append("event") }
                On(Signal.self) { state, signal -> Effect<any Dispatchable> in
                    state.notes.append("\(signal)")
                    return .send(Withdrawal(amount: 1))
                }
                On { (state: inout Account, withdrawal: Withdrawal) in state.notes.append("\(withdrawal.amount)") }
                OpenCommands()
            },
            interceptors: interceptors
        )
    }

    @Test("An open store accepts actions of any type, and passes each to the reducers of its type, in order")
    func actions() async throws {
        let store = store()
        try await store.dispatch(Withdrawal(amount: 2))
        store.send(Signal.closed)
        #expect(await store.state == Account(balance: -3, notes: ["2", "closed", "1"]))
    }

    @Test("Actions without a reducer change nothing, and are reduced and observed")
    func unknownActions() async throws {
        let store = store()
        let actions = store.actions
        try await store.dispatch(Unknown())
        #expect(store.snapshot == Account() && store.revision == 1)
        #expect(try await actions.first(1).first?.action is Unknown)
    }

    @Test("An action matches its own type exactly, not its superclasses")
    func exactTypes() async throws {
        let store = store()
        try await store.dispatch(SpecialEvent())
        #expect(store.snapshot.notes.isEmpty)
        try await store.dispatch(Event())
        #expect(store.snapshot.notes == ["event"])
    }

    @Test("Actions that are updaters of the state can be applied")
    func updaters() async throws {
        let store = store()
        try await store.dispatch(Deposit(amount: 3))
        #expect(store.snapshot.balance == 3)
    }

    @Test("Reducers of single types can be appended to any reducer of an open store")
    func appended() async throws {
        let store = Store(
            initialState: 0,
            reducer: EmptyReducer<Int, any Sendable>()
                .on(Int.self) { state, number in state += number }
                .on(String.self) { state, text -> Effect<any Sendable> in .send(text.count) }
        )
        try await store.dispatch(3)
        try await store.dispatch("three")
        try await store.dispatch(3.5)
        #expect(await store.state == 8 && store.revision == 4)
    }

    @Test("Rules and interceptors can be restricted to actions of one type")
    func rules() async throws {
        let store = store(interceptors: [
            .observing(
                .onAction(of: Withdrawal.self) { withdrawal, _ in
                    withdrawal.amount > 10 ? Deposit(amount: 1) : nil
                },
                .onAction(of: Event.self) { _, _ in Deposit(amount: 100) }
            )
        ])
        try await store.dispatch(Withdrawal(amount: 20))
        try await store.dispatch(Withdrawal(amount: 2))
        try await store.dispatch(SpecialEvent())
        #expect(await store.state.balance == -21)
    }
}
