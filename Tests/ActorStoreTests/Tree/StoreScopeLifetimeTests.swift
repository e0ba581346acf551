import ActorStore
import Testing

@testable import TestFixtures

@Suite("Scopes and trees: lifetime, cost and order", .timeLimit(.minutes(10)))
struct StoreScopeLifetimeTests {
    @Test("A scope does not keep the store alive, and its observations continue without it until the store ends")
    func lifetime() async throws {
        var store: Store<Ledger.State, Ledger.Action>? = Ledger.store()
        weak let observed = store
        let told = Collector<Int>()
        let values: StoreSequence<Int>?
        let token: StoreObservation?
        weak var scope: Store<Int, Ledger.Action>?
        do {
            let total = store?.scope(\.total)
            scope = total
            values = total?.values(of: \.self, buffering: .unbounded)
            token = total?.observe(\.self) { told.append($0) }
        }
        #expect(scope == nil)
        store?.send(.add(3))
        let kept = store?.scope(\.total)
        store = nil
        #expect(observed == nil)
        #expect(kept?.send(.add(1)) == .refused(.shutDown) && kept?.snapshot == 3)
        #expect(try await values?.all() == [0, 3])
        #expect(told.elements == [0, 3])
        token?.cancel()
    }

    @Test(
        "A sequence of a released scope begins an observation with each of its iterators, until the store ends"
    )
    func furtherIterators() async throws {
        let store = Ledger.store()
        let evenness = store.scope { $0.isEven }.scope(state: \.self) { Ledger.Action.add($0) }.values(of: \.self)
        let computed = store.scope(\.isEven).values(of: \.self)
        let notes = store.scope(\.note, removeDuplicates: { $0.count == $1.count }).values(
            of: \.self,
            buffering: .unbounded
        )
        let actions = store.scope(\.total).actions
        let transitions = store.scope(\.total).transitions()
        for sequence in [evenness, computed] {
            var (first, second) = (sequence.makeAsyncIterator(), sequence.makeAsyncIterator())
            #expect(await first.next() == true)
            #expect(await second.next() == true)
        }
        var (firstAction, secondAction) = (actions.makeAsyncIterator(), actions.makeAsyncIterator())
        var (first, second) = (transitions.makeAsyncIterator(), transitions.makeAsyncIterator())
        _ = notes.makeAsyncIterator()
        try await store.dispatch(.add(1))
        for state in [await firstAction.next()?.state, await secondAction.next()?.state] { #expect(state == 1) }
        for state in [await first.next()?.old, await second.next()?.old] { #expect(state == 0) }
        try await store.dispatch(.write("a note"))
        await store.shutdown(drain: .finishEffects)
        #expect(try await notes.all() == ["a note"])
        #expect(try await evenness.all() == [false])
        #expect(try await actions.all().isEmpty)
        #expect(try await transitions.all().isEmpty)
    }

    @Test("A sequence of a child's actions does not retain the child, and ends with it in each of its iterators")
    func actionsOfChildren() async throws {
        let store = Ledger.store()
        let reducer = Reduce<Int, Int> { (count: inout Int, new: Int) in count = new }
        var child = store.child(initialState: 0, reducer: reducer) { _ in nil }
        let (actions, transitions) = (child.actions, child.scope(\.local).transitions())
        let first = actions.makeAsyncIterator()
        try await child.dispatch(1)
        child = store.child(initialState: 0, reducer: reducer) { _ in nil }
        #expect(try await transitions.all().map(\.new) == [1])
        #expect(try await actions.all().isEmpty)
        #expect(try await transitions.all().isEmpty)
        withExtendedLifetime(first) {}
    }

    @Test(
        "A sequence of an ended child's actions or transitions retains no state of it",
        arguments: [false, true]
    )
    func sequencesOfEndedChildren(isOfTransitions: Bool) async throws {
        var store: Store<Int, Int>? = Store(initialState: 0) { (_: inout Int, _: Int) in }
        weak var kept: Token?
        weak var weakLater: Token?
        var sequences:
            (
                StoreSequence<(action: Int, state: ParentAndChild<Int, Token>)>?,
                StoreSequence<StateTransition<ParentAndChild<Int, Token>, Int>>?
            )
        do {
            let token = Token()
            kept = token
            let child = store?.child(initialState: token, reducer: EmptyReducer())
            if isOfTransitions { sequences.1 = child?.transitions() } else { sequences.0 = child?.actions }
        }
        // An observation begun after the end of the store releases the state as well.
        let later: StoreSequence<StateTransition<ParentAndChild<Int, Token>, Int>>?
        do {
            let child = store?.child(initialState: Token(), reducer: EmptyReducer())
            weakLater = child?.snapshot.local
            await store?.shutdown(drain: .cancelEffects)
            later = child?.transitions()
        }
        store = nil
        await until { kept == nil && weakLater == nil }
        withExtendedLifetime((sequences, later)) {}
    }

    @Test("A thousand scopes created anew are one group of observers to the store, without a cache")
    func noCache() async throws {
        let store = Ledger.store()
        let told = Collector<Int>()
        let tokens = (0..<1_000).map { _ in store.scope(\.total).observe(\.self) { told.append($0) } }
        let observers = await store.observerRecords
        #expect(observers.count == 1_000 && Set(observers.map(\.subject)).count == 1)
        store.send(.write("something else"))
        #expect(told.elements.count == 1_000)
        store.send(.add(1))
        #expect(told.elements.suffix(1_000) == Array(repeating: 1, count: 1_000)[...])
        withExtendedLifetime(tokens) {}
    }

    @Test("A tree has one order, and trees are independent: children wait for their busy tree, and others do not")
    func serialDomains() async throws {
        let (busy, idle) = (Ledger.store(), Ledger.store())
        let count = Reduce<Int, Int> { (count: inout Int, step: Int) in count += step }
        let child = busy.child(initialState: 0, reducer: count) { .add($0) }
        let hold = await busy.holdUp()
        #expect(child.send(1) == .accepted)
        try await idle.dispatch(.add(1))
        #expect(idle.snapshot.total == 1)
        #expect(busy.statistics.waitingActions == 1 && busy.statistics.reducedActions == 0)
        hold.release()
        let state = await child.state
        #expect(state.local == 1 && state.parent.total == 1)
    }
}
