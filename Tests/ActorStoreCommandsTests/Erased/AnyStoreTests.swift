import ActorStore
import ActorStoreCommands
import Testing

@testable import TestFixtures

@Suite("Erased stores and restricted stores", .timeLimit(.minutes(10)))
struct AnyStoreTests {
    @Test("An erased store accepts actions, updaters and side effects of matching types, and shows its state")
    func erased() async throws {
        let bank = Store(initialState: Account(), reducer: Bank(), configuration: StoreConfiguration(name: "bank"))
        let store = AnyStore(bank)
        #expect(store.name == "bank")
        _ = try await store.dispatch(Deposit(amount: 3))
        #expect(try store.send(Deposit(amount: 4)) == .accepted)
        #expect(store.snapshot as? Account == Account(balance: 7))
        let work = Work<Account, BankAction, Int> { context in
            try await context.dispatch(.close)
            return 42
        }
        #expect(try await store.dispatch(work) as? Int == 42)
        let task = try await store.dispatch(BankAction.close) as? StoreTask
        #expect(task?.isFinished == true)
        #expect(await store.state as? Account == Account(notes: ["closed"]))
        #expect(store.revision == 4)
        await store.shutdown(drain: .finishEffects)
        #expect(try store.send(BankAction.close) == .refused(.shutDown))
    }

    @Test("A side effect of an erased store is shown with the place of its dispatch")
    func place() async throws {
        let bank = Store(initialState: Account(), reducer: Bank())
        let (begun, goOn) = (Signal(), Latch())
        let work = Work<Account, BankAction, Int> { _ in
            begun.fire()
            await goOn.wait()
            return 1
        }
        let (store, line) = (AnyStore(bank), #line + 1 as UInt)
        let dispatch = Task { try await store.dispatch(work) }
        await begun.wait()
        let report = await bank.shutdown(drain: .cancelEffects, within: .zero)
        #expect(report.unfinishedEffects.map { "\($0)".contains("AnyStoreTests.swift:\(line)") } == [true])
        goOn.open()
        _ = try await dispatch.value
    }

    @Test("An erased store refuses other types with an error that names them")
    func unexpected() async throws {
        let store = AnyStore(Ledger.store())
        let expected = UnexpectedItemError(item: "Int", store: "Store<State, Action>")
        #expect(throws: expected) { try store.send(3) }
        await #expect(throws: expected) { try await store.dispatch(3) }
        await #expect(throws: UnexpectedItemError.self) { try await store.dispatch(Deposit(amount: 1)) }
        await #expect(throws: UnexpectedItemError.self) { try await store.dispatch(Work<Int, Int, Int> { _ in 1 }) }
        #expect(throws: UnexpectedItemError.self) { try store.send(Work<Int, Int, Int> { _ in 1 }) }
        #expect("\(expected)" == "A Store<State, Action> does not accept values of type Int.")
    }

    @Test(
        "An erased open store accepts any dispatchable value, and an erased store can be cast back to its types"
    )
    func openAndTyped() async throws {
        let open = OpenStore(initialState: Account(), reducer: OpenCommands())
        let store = AnyStore(open)
        _ = try await store.dispatch(Deposit(amount: 3))
        #expect(open.snapshot.balance == 3)
        #expect(store.typed(Account.self, (any Dispatchable).self) === open)
        #expect(store.typed(Account.self, BankAction.self) == nil)
    }

    @Test("A read-only store reads and observes, and has no action that could be dispatched")
    func readOnly() async throws {
        let store = Ledger.store()
        let view: ReadOnlyStore<Ledger.State> = store.readOnly
        let totals = view.values(of: \.total, buffering: .unbounded)
        try await store.dispatch(.add(3))
        #expect(view.snapshot.total == 3)
        #expect(await view.state.total == 3)
        #expect(await view.read(\.total) == 3)
        #expect(try await totals.first(2) == [0, 3])
        #expect(view.send(contentsOf: []) == .accepted)
    }

    @Test("A store without state accepts actions, and observes those of the store")
    func stateless() async throws {
        let store = Ledger.store()
        let view: Store<Void, Ledger.Action> = store.scope { _ in () }
        let actions = view.actions
        try await view.dispatch(.add(3))
        view.send(.add(4))
        #expect(store.snapshot.total == 7)
        #expect(try await actions.first(2).count == 2)
    }

    @Test("Restricted stores do not keep the store alive")
    func lifetime() async throws {
        var store: Store<Ledger.State, Ledger.Action>? = Ledger.store()
        weak let weakStore = store
        let (readOnly, stateless) = (store?.readOnly, store?.scope { _ in () })
        store = nil
        #expect(weakStore == nil)
        #expect(stateless?.send(.add(1)) == .refused(.shutDown))
        #expect(readOnly?.snapshot.total == 0)
    }

    @Test("An erased store keeps the store alive")
    func erasedLifetime() async throws {
        var ledger: Store<Ledger.State, Ledger.Action>? = Ledger.store()
        weak let weakStore = ledger
        var store = ledger.map { AnyStore($0) }
        ledger = nil
        try await store?.dispatch(Ledger.Action.add(3))
        #expect((store?.snapshot as? Ledger.State)?.total == 3 && weakStore != nil)
        store = nil
        #expect(weakStore == nil)
    }
}
