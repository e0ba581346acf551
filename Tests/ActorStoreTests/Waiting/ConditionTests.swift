import ActorStore
import Testing

@testable import TestFixtures

@Suite("Waiting for a state", .timeLimit(.minutes(10)))
struct ConditionTests {
    private func untilObserved(_ store: Store<some Sendable, some Sendable>) async {
        await until { await !store.observerRecords.isEmpty }
    }

    @Test("A satisfied condition returns at once, also in a cancelled task and with a timeout of zero")
    func atOnce() async throws {
        let store = Ledger.store()
        store.send(.add(3))
        #expect(try await store.condition { $0.total == 3 }.total == 3)
        #expect(try await store.condition(\.total) { $0 > 2 } == 3)
        let cancelled = Task {
            withUnsafeCurrentTask { $0?.cancel() }
            return try await store.condition(\.total, timeout: .zero) { $0 == 3 }
        }
        #expect(try await cancelled.value == 3)
    }

    @Test("A wait returns the first state that satisfies its condition, whatever happens to it afterwards")
    func first() async throws {
        let store = Ledger.store()
        let whole = Task { try await store.condition { $0.total >= 2 && $0.note.isEmpty } }
        let part = Task { try await store.condition(\.total) { $0 >= 2 } }
        await until { await store.observerRecords.count >= 2 }
        for _ in 1...4 { try await store.dispatch(.add(1)) }
        try await store.dispatch(.write("over"))
        #expect(try await whole.value == Ledger.State(total: 2))
        #expect(try await part.value == 2)
        #expect(await store.observerRecords.isEmpty)
    }

    @Test("A Boolean part of a condition can be computed")
    func booleans() async throws {
        let store = Ledger.store()
        try await store.condition(\.isEven) { $0 }
        try await store.dispatch(.add(1))
        let waiting = Task { try await store.condition(\.isEven) { $0 } }
        await untilObserved(store)
        try await store.dispatch(.add(1))
        #expect(try await waiting.value)
    }

    @Test("The condition of a part is evaluated only when the part has changed")
    func askedSeldom() async throws {
        let store = Ledger.store()
        let asked = Collector<Int>()
        let waiting = Task {
            try await store.condition(\.total) { total in
                asked.append(total)
                return total == 2
            }
        }
        await untilObserved(store)
        for _ in 1...3 { try await store.dispatch(.write("note")) }
        try await store.dispatch(.add(1))
        try await store.dispatch(.add(1))
        try await store.dispatch(.add(1))
        #expect(try await waiting.value == 2)
        #expect(asked.elements == [0, 1, 2])
    }

    @Test("A state within a batch is not seen by conditions")
    func batches() async throws {
        let store = Ledger.store()
        let waiting = Task { try await store.condition { $0.total == 1 } }
        await untilObserved(store)
        store.send(contentsOf: [.add(1), .add(1)])
        store.send(.add(-1))
        #expect(try await waiting.value.total == 1)
        #expect(store.revision == 3)
    }

    @Test("A timeout, a cancellation and the end of the store end a wait at once, with distinct errors")
    func ends() async throws {
        let store = Ledger.store()
        let clock = ManualClock()
        let hold = await store.holdUp()
        let timed = Task { try await store.condition(timeout: .seconds(1), clock: clock) { $0.total == 9 } }
        let cancelled = Task { try await store.condition(\.total) { $0 == 9 } }
        let ended = Task { try await store.condition { $0.total == 9 } }
        await clock.waitForSleepers()
        clock.advance(by: .seconds(1))
        await #expect(throws: WaitError.timedOut) { try await timed.value }
        cancelled.cancel()
        await #expect(throws: WaitError.cancelled) { try await cancelled.value }
        hold.release()
        await untilObserved(store)
        await store.shutdown(drain: .finishEffects)
        await #expect(throws: WaitError.storeEnded) { try await ended.value }
    }

    @Test("The last state of an ended store can satisfy a condition, and otherwise the wait throws")
    func afterTheEnd() async throws {
        let store = Ledger.store()
        try await store.dispatch(.add(5))
        await store.shutdown(drain: .finishEffects)
        #expect(try await store.condition { $0.total == 5 }.total == 5)
        #expect(try await store.condition(\.total) { $0 == 5 } == 5)
        await #expect(throws: WaitError.storeEnded) { try await store.condition { $0.total == 6 } }
        await #expect(throws: WaitError.storeEnded) { try await store.condition(\.total) { $0 == 6 } }
    }

    @Test("A wait for a state ends when the loading fails, and at once after it has failed")
    func failedLoading() async throws {
        let goOn = Latch()
        let store = Ledger.storeWithoutState(failingAfter: goOn, initialState: Ledger.State(total: 5))
        let errors = store.errors
        let before = store.statistics.observers
        let child = store.child(initialState: 0, reducer: Reduce<Int, Int> { _, _ in .none }) { _ in nil }
        let scope = store.scope { $0.total + 1 }
        // Against a hang only: under a sanitizer, beside all other tests, a minute has been too short.
        let limit = Duration.seconds(600)
        let waits: [@Sendable () async throws -> Void] = [
            { try await store.condition(timeout: limit) { $0.total == 5 } },
            { try await store.condition(\.total, timeout: limit) { $0 == 5 } },
            { try await store.condition(\.isEven, timeout: limit) { $0 } },
            { try await child.condition(timeout: limit) { $0.local == 0 } },
            { try await child.condition(\.local, timeout: limit) { $0 == 0 } },
            { try await scope.condition(\.self, timeout: limit) { $0 == 6 } },
        ]
        let early = waits.map { wait in Task { try await wait() } }
        await until { store.statistics.observers == before + waits.count }
        goOn.open()
        for task in early { await #expect(throws: WaitError.notReady) { try await task.value } }
        for wait in waits { await #expect(throws: WaitError.notReady) { try await wait() } }
        await store.shutdown(drain: .finishEffects)
        await #expect(throws: WaitError.storeEnded) { try await waits[0]() }
        await #expect(throws: WaitError.storeEnded) { try await waits[4]() }
        #expect(try await errors.all().map(\.origin) == [.loading])
    }

    @Test("Waits work on children and scopes, for stored and computed parts, and end with their own store")
    func inTrees() async throws {
        let store = Ledger.store()
        let adding = Reduce<Int, Int> { state, step in
            state += step
            return .none
        }
        let child = store.child(initialState: 0, reducer: adding, action: { _ in nil })
        let sum = child.scope { $0.parent.total + $0.local }
        let waiting = Task { try await sum.condition(\.self) { $0 == 3 } }
        let parent = Task { try await child.condition(\.parent.total) { $0 == 100 } }
        let whole = Task { try await child.condition { $0.local == 100 } }
        await until { await store.observerRecords.count >= 3 }
        try await store.dispatch(.add(1))
        try await child.dispatch(2)
        #expect(try await waiting.value == 3)
        await child.shutdown(drain: .finishEffects)
        await #expect(throws: WaitError.storeEnded) { try await parent.value }
        await #expect(throws: WaitError.storeEnded) { try await whole.value }
        await #expect(throws: WaitError.storeEnded) { try await child.condition(\.parent.total) { $0 == 100 } }
        #expect(try await child.condition { $0.local == 2 }.parent.total == 1)
    }

    @Test("A wait for a whole state does not make actions copy the state")
    func copiesNothing() async throws {
        let addresses = Collector<UInt>()
        let store = Store(initialState: Array(0..<1_000)) { (state: inout [Int], step: Int) in
            state[0] += step
            state.withUnsafeBufferPointer { addresses.append(UInt(bitPattern: $0.baseAddress)) }
        }
        let waiting = Task { try await store.condition { $0[0] == 50 } }
        await untilObserved(store)
        for _ in 1...50 { try await store.dispatch(1) }
        #expect(try await waiting.value[0] == 50)
        #expect(Set(addresses.elements).count == 1)
    }
}
