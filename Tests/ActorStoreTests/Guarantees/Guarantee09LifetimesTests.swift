import ActorStore
import Testing

@testable import TestFixtures

@Suite("Guarantee 9: lifetimes", .timeLimit(.minutes(10)))
struct LifetimesTests {
    /// Is referred to by a state, so that its end shows the end of the store's memory.
    final class Witness: Sendable, Equatable {
        let onEnd: @Sendable () -> Void
        init(_ onEnd: @escaping @Sendable () -> Void) { self.onEnd = onEnd }
        deinit { onEnd() }
        static func == (left: Witness, right: Witness) -> Bool { left === right }
    }

    struct State: Sendable {
        var count = 0
        let witness: Witness
    }

    func makeStore(_ ended: Signal) -> Store<State, Int> {
        Store(initialState: State(witness: Witness { ended.fire() })) { (state: inout State, step: Int) in
            state.count += step
        }
    }

    @Test("A released store frees its state, and its sequences end after the newest value")
    func dropping() async throws {
        let ended = Signal()
        var store: Store<State, Int>? = makeStore(ended)
        weak let weakStore = store
        let values = store?.values(of: \.count)
        let stream = store?.stream(of: \.count)
        let actions = store?.actions
        let errors = store?.errors
        let token = store?.observe(\.count) { _ in }
        store?.send(3)
        store = nil
        #expect(weakStore == nil)
        #expect(try await values?.all() == [3])
        #expect(try await actions?.all().map(\.action) == [3])
        #expect(try await errors?.all().count == 0)
        var iterator = stream?.makeAsyncIterator()
        #expect(await iterator?.next() == 3)
        #expect(await iterator?.next() == nil)
        token?.cancel()
        // The action observers' copy of the state is gone with the sequence's end; then nothing holds the witness.
        await ended.wait()
    }

    @Test("The end of the store wakes a waiting observer")
    func waitingObserversAreWoken() async throws {
        let ended = Signal()
        var store: Store<State, Int>? = makeStore(ended)
        let collected = Collector<Int>()
        let values = store?.values(of: \.count)
        let observer = Task {
            guard let values else { return }
            for await value in values { collected.append(value) }
        }
        await until { !collected.elements.isEmpty }
        store = nil
        await observer.value
        #expect(store == nil && collected.elements == [0])
    }

    @Test("Observation tokens, sequences, iterators and effects do not keep a store alive")
    func nothingKeepsItAlive() async throws {
        var store: Store<Ledger.State, Ledger.Action>? = Ledger.store()
        weak let weakStore = store
        let token = store?.observe(\.total) { _ in }
        let values = store?.values(of: \.total)
        let iterator = values?.makeAsyncIterator()
        let began = Signal()
        let cancelled = Signal()
        let task = try await store?.dispatch(
            .start(
                .run { _ in
                    began.fire()
                    await untilCancelled()
                    cancelled.fire()
                }
            )
        )
        await began.wait()
        store = nil
        #expect(weakStore == nil)
        await cancelled.wait()
        try await task?.finish()
        withExtendedLifetime((token, values, iterator)) {}
    }

    @Test("A store that sends to itself from an observer, weakly, is freed")
    func noCycles() async throws {
        weak var weakStore: Store<Int, Int>?
        do {
            let store = Store(initialState: 0) { (count: inout Int, step: Int) in count += step }
            weakStore = store
            let token = store.observe(\.self) { [weak store] count in
                if count == 1 { store?.send(1) }
            }
            try await store.dispatch(1)
            #expect(await store.state == 2)
            token.cancel()
        }
        #expect(weakStore == nil)
    }

    @Test("Actions accepted before the release of the last reference are reduced")
    func acceptedActionsAreReduced() async throws {
        let reduced = Collector<Int>()
        var store: Store<Int, Int>? = Store(initialState: 0) { (count: inout Int, number: Int) in
            reduced.append(number)
        }
        for number in 1...1_000 { store?.send(number) }
        store = nil
        #expect(reduced.elements == Array(1...1_000))
    }

    @Test("Actions that wait at the release of the last reference are reduced")
    func waitingActionsAreReduced() async throws {
        var store: Store<Ledger.State, Ledger.Action>? = Ledger.store()
        let values = store?.values(of: \.total)
        let hold = Hold()
        onThread { [weak store] in store?.send(.hold(hold)) }
        await hold.waitUntilEntered()
        for _ in 0..<100 { store?.send(.add(1)) }
        store = nil
        hold.release()
        #expect(try await values?.all().last == 100)
    }

    @Test("A running dispatch keeps the store alive")
    func dispatchKeepsItAlive() async throws {
        var store: Store<Ledger.State, Ledger.Action>? = Ledger.store()
        guard let hold = await store?.holdUp() else { return }
        let dispatcher = Task { [store] in try await store?.dispatch(.add(1)) }
        await until { store?.statistics.waitingActions != 0 }
        weak let weakStore = store
        store = nil
        #expect(weakStore != nil)
        hold.release()
        _ = try await dispatcher.value
    }

    @Test("Releasing a token ends its calls")
    func releasingATokenEndsIt() async throws {
        let store = Ledger.store()
        let calls = Collector<Int>()
        var token: StoreObservation? = store.observe(\.total) { calls.append($0) }
        try await store.dispatch(.add(1))
        token = nil
        try await store.dispatch(.add(1))
        #expect(token == nil && calls.elements == [0, 1])
    }

    @Test("Cancelling the iterating task ends the iteration and its observation")
    func cancellingTheTask() async throws {
        let store = Ledger.store()
        let collected = Collector<Int>()
        let observer = Task { for await total in store.values(of: \.total) { collected.append(total) } }
        await until { !collected.elements.isEmpty }
        #expect(store.statistics.observers == 1)
        observer.cancel()
        await observer.value
        #expect(store.statistics.observers == 0)
    }
}
