import ActorStore
import ActorStoreCommands
import ActorStoreComposition
import Testing

@testable import TestFixtures

private final class Witness: Sendable {}

@Suite("Observers of the whole state, and of actions", .timeLimit(.minutes(10)))
struct ObserveEverythingTests {
    @Test("An observer of the whole state gets the current one, and one after each turn, until its token is released")
    func everyTurn() {
        struct Reading: Sendable { var level = 0 }
        let store = Store(initialState: Reading()) { (state: inout Reading, step: Int) in state.level += step }
        let levels = Collector<Int>()
        do {
            let token = store.observe(.everyAction) { state in levels.append(state.level) }
            defer { token.cancel() }
            store.send(1)
            store.send(0)
            store.send(contentsOf: [1, 1, 1])
        }
        store.send(5)
        #expect(levels.elements == [0, 1, 1, 4])
    }

    @Test("Observers of the whole state on an executor and on an actor get a state after each turn")
    func everyTurnElsewhere() async {
        struct Reading: Sendable { var level = 0 }
        let store = Store(initialState: Reading()) { (state: inout Reading, step: Int) in state.level += step }
        let (onExecutor, onActor) = (Collector<Int>(), Collector<Int>())
        let observations = [
            store.values(of: .everyAction, buffering: .unbounded).observe(on: globalConcurrentExecutor) {
                onExecutor.append($0.level)
            },
            store.observe(.everyAction, isolatedTo: MainActor.shared, buffering: .unbounded) { actor, state in
                actor.assertIsolated()
                onActor.append(state.level)
            },
        ]
        store.send(1)
        store.send(0)
        store.send(contentsOf: [1, 1, 1])
        for levels in [onExecutor, onActor] {
            await until { levels.elements.count == 4 }
            #expect(levels.elements == [0, 1, 1, 4])
        }
        for observation in observations { observation.cancel() }
        store.send(5)
        await store.shutdown(drain: .finishEffects)
        #expect(onExecutor.elements.count == 4 && onActor.elements.count == 4)
    }

    @Test("An observer of a scope's whole state gets what the scope counts as a change, also on an actor")
    func everyTurnOfAScope() async {
        struct Reading: Sendable { var level = 0, name = "" }
        let store = Store(initialState: Reading()) { (state: inout Reading, step: Int) in state.level += step }
        let tens = store.scope(\.level, removeDuplicates: { $0 / 10 == $1 / 10 })
        let levels = Collector<Int>()
        let observation = tens.observe(.everyAction, isolatedTo: MainActor.shared, buffering: .unbounded) { _, level in
            levels.append(level)
        }
        for step in [4, 4, 4, 4, 4] { store.send(step) }
        await until { levels.elements.count == 3 }
        #expect(levels.elements == [0, 12, 20])
        observation.cancel()
    }

    @Test("An observer of an erased store gets the states of all types")
    func erased() {
        let (number, text) = (
            Store(initialState: 0) { (state: inout Int, step: Int) in state += step },
            Store(initialState: "") { (state: inout String, letter: Character) in state.append(letter) }
        )
        let seen = Collector<String>()
        let tokens = [AnyStore(number), AnyStore(text)].map { store in store.observe { seen.append("\($0)") } }
        number.send(2)
        text.send("a")
        withExtendedLifetime(tokens) {}
        #expect(seen.elements == ["0", "", "2", "a"])
    }

    @Test("An observer of actions gets each with the state after it, in order, batches included, and slowly")
    func actions() async {
        let store = Ledger.store()
        let totals = Collector<Int>()
        let token = store.actions.observe { action, state in
            await Task.yield()
            if case .add = action { totals.append(state.total) }
        }
        for _ in 0..<10 { store.send(.add(1)) }
        store.send(contentsOf: [.add(1), .write("x"), .add(1)])
        await until { totals.elements.count == 12 }
        #expect(totals.elements == Array(1...12))
        token.cancel()
        store.send(.add(1))
        await store.shutdown(drain: .cancelEffects)
        #expect(totals.elements.count == 12)
    }

    @Test("An observer of actions does not keep the store alive, and ends with its token")
    func lifetime() async {
        let witness = Witness()
        weak let observed = witness
        weak var store: Store<Int, Int>?
        var token: StoreObservation?
        do {
            let made = Store(initialState: 0) { (state: inout Int, step: Int) in state += step }
            token = made.actions.observe { [witness] _, _ in _ = witness }
            store = made
        }
        #expect(store == nil)
        token?.cancel()
        token = nil
        _ = consume witness
        await until { observed == nil }
    }

    @Test("A store of commands for a default-initialisable state needs no initial state")
    func commands() {
        struct Account: DefaultInitializable, Sendable { var balance = 7 }
        let store = CommandStore<Account>()
        store.send(Command("deposit") { $0.balance += 1 })
        #expect(store.snapshot.balance == 8)
    }

    @Test("A closure can be attached to a part of the state, and detached by its key")
    func attachedClosure() {
        let store = Ledger.store()
        store.attach(state: \.note, forKey: "note") { note, action in
            if case .add(let amount) = action { note = "\(amount)" }
        }
        store.send(.add(3))
        #expect(store.snapshot.note == "3" && store.snapshot.total == 3)
        store.detach(reducerForKey: "note")
        store.send(.add(4))
        #expect(store.snapshot.note == "3")
    }

    @Test("The closure of an observer of actions runs on the executor of the store's configuration")
    func actionsOnTheExecutor() async {
        let (executor, isThere) = (OneThreadExecutor(), Collector<Bool>())
        let configuration = StoreConfiguration(executor: executor)
        let store = Store(initialState: 0, configuration: configuration) { (state: inout Int, step: Int) in
            state += step
        }
        let observation = store.actions.observe { _, _ in
            await Task.yield()
            isThere.append(executor.isPreferred)
        }
        store.send(contentsOf: [1, 2])
        await until { isThere.elements.count == 2 }
        #expect(isThere.elements == [true, true])
        observation.cancel()
    }
}
