import ActorStore
import Testing

@testable import TestFixtures

@Suite("Waiting for an action", .timeLimit(.minutes(10)))
struct TakeTests {
    typealias Action = Ledger.Action

    static let written = CasePath<Action, String>(embed: Action.write) {
        if case .write(let note) = $0 { note } else { nil }
    }

    /// Waits for an observer of the store's actions.
    private func untilObserved(_ store: Store<some Sendable, some Sendable>) async {
        await until { await !store.observerRecords.isEmpty }
    }

    @Test("A wait returns the next matching action after its reduction, and no earlier one")
    func next() async throws {
        let store = Ledger.store()
        try await store.dispatch(.write("before"))
        let waiting = Task { () -> (Action, String) in
            let action = try await store.take(.where { if case .write = $0 { true } else { false } })
            return (action, store.snapshot.note)
        }
        await untilObserved(store)
        try await store.dispatch(.add(1))
        try await store.dispatch(.write("after"))
        let (action, note) = try await waiting.value
        #expect(Self.written.extract(from: action) == "after")
        #expect(note == "after")
    }

    @Test("The payload of a case is returned, by a case path, by a case's name, or by a closure")
    func payloads() async throws {
        let store = Ledger.store()
        #expect(try await store.take(.case(Self.written)) { store.send(.write("a")) } == "a")
        #expect(try await store.take(.case(CasePath(Action.write))) { store.send(.write("b")) } == "b")
        let either = ActionPattern<Action, String>.matching { action in
            switch action {
            case .write(let note): note
            case .add(let amount): "\(amount)"
            default: nil
            }
        }
        #expect(try await store.take(either) { try await store.dispatch(.add(7)) } == "7")
    }

    @Test(
        "An action dispatched after the beginning of a wait is never missed, however often, and however busy the store"
    )
    func nothingIsMissed() async throws {
        let store = Ledger.store()
        let noise = Task { while !Task.isCancelled { store.send(.add(1)) } }
        for number in 0..<500 {
            let note = try await store.take(.case(Self.written)) { try await store.dispatch(.write("\(number)")) }
            #expect(note == "\(number)")
        }
        noise.cancel()
        await noise.value
        await store.shutdown(drain: .finishEffects)
    }

    @Test("The response of an effect is awaited with a timeout that begins after the request")
    func answers() async throws {
        let store = Ledger.store()
        let clock = ManualClock()
        let answer = try await store.take(.case(Self.written), timeout: .seconds(5), clock: clock) {
            clock.advance(by: .seconds(10))
            try await store.dispatch(.start(.run { send in send(.write("answer")) }))
        }
        #expect(answer == "answer")
    }

    @Test("The error of the request is thrown, and the wait ends")
    func questionFails() async throws {
        let store = Ledger.store()
        await store.shutdown(drain: .finishEffects)
        let open = Ledger.store()
        await #expect(throws: StoreError.shutDown) {
            try await open.take(.case(Self.written)) { try await store.dispatch(.add(1)) }
        }
        #expect(await open.observerRecords.isEmpty)
    }

    @Test("A wait throws at once at its timeout, also if the store is busy, and stops observing")
    func timeout() async throws {
        let store = Ledger.store()
        let clock = ManualClock()
        let hold = await store.holdUp()
        let waiting = Task { try await store.take(.case(Self.written), timeout: .seconds(5), clock: clock) }
        await clock.waitForSleepers()
        clock.advance(by: .seconds(5))
        await #expect(throws: WaitError.timedOut) { try await waiting.value }
        hold.release()
        #expect(await store.observerRecords.isEmpty)
    }

    @Test("A cancelled wait throws at once, also if the store is busy, and its clock is not used further")
    func cancellation() async throws {
        let store = Ledger.store()
        let clock = ManualClock()
        let hold = await store.holdUp()
        let waiting = Task { try await store.take(.case(Self.written), timeout: .seconds(5), clock: clock) }
        await clock.waitForSleepers()
        waiting.cancel()
        await #expect(throws: WaitError.cancelled) { try await waiting.value }
        await clock.waitForSleepers(0)
        hold.release()
    }

    @Test("A wait throws when the store ends, and at once after the end")
    func storeEnds() async throws {
        let store = Ledger.store()
        let waiting = Task { try await store.take(.case(Self.written)) }
        await untilObserved(store)
        await store.shutdown(drain: .finishEffects)
        await #expect(throws: WaitError.storeEnded) { try await waiting.value }
        await #expect(throws: WaitError.storeEnded) { try await store.take(.case(Self.written)) }
    }

    @Test("A wait for an action ends when the loading fails, and at once after it has failed")
    func failedLoading() async throws {
        let goOn = Latch()
        let store = Ledger.storeWithoutState(failingAfter: goOn)
        let errors = store.errors
        let before = store.statistics.observers
        let child = store.child(initialState: 0, reducer: Reduce<Int, Int> { _, _ in .none }) { _ in nil }
        let scope = store.scope(state: \.note, action: Self.written.embed, extract: Self.written.extract)
        // Against a hang only: under a sanitizer, beside all other tests, a minute has been too short.
        let limit = Duration.seconds(600)
        let waits: [@Sendable () async throws -> Void] = [
            { try await store.take(.where { _ in true }, timeout: limit) },
            { try await store.take(.case(Self.written), timeout: limit) },
            { try await store.take(.where { _ in true }, timeout: limit) { store.send(.add(1)) } },
            { try await child.take(.where { _ in true }, timeout: limit) },
            { try await scope.take(.where { _ in true }, timeout: limit) },
        ]
        let early = waits.map { wait in Task { try await wait() } }
        await until { store.statistics.observers == before + waits.count && store.statistics.waitingActions == 1 }
        goOn.open()
        for task in early { await #expect(throws: WaitError.notReady) { try await task.value } }
        for wait in waits { await #expect(throws: WaitError.notReady) { try await wait() } }
        await store.shutdown(drain: .finishEffects)
        for wait in waits { await #expect(throws: WaitError.storeEnded) { try await wait() } }
        #expect(try await errors.all().map(\.origin) == [.loading])
    }

    @Test("A wait gets actions that effects send during a shutdown")
    func duringShutdown() async throws {
        let store = Ledger.store()
        let goOn = Signal()
        try await store.dispatch(
            .start(
                .run { send in
                    await goOn.wait()
                    send(.write("last"))
                }
            )
        )
        let waiting = Task { try await store.take(.case(Self.written)) }
        await untilObserved(store)
        let shutdown = Task { await store.shutdown(drain: .finishEffects) }
        await until { !store.phase.isReady }
        goOn.fire()
        #expect(try await waiting.value == "last")
        _ = await shutdown.value
    }

    @Test("The condition is not evaluated again after it was true, and the wait retains nothing")
    func askedOnce() async throws {
        let store = Ledger.store()
        let asked = Collector<Int>()
        let any = ActionPattern<Action, Action>.where { action in
            if case .add(let amount) = action { asked.append(amount) }
            return true
        }
        try await store.take(any) { store.send(contentsOf: [.add(1), .add(2), .add(3)]) }
        #expect(asked.elements == [1])
        #expect(await store.observerRecords.isEmpty)
    }

    @Test("Waits work for actions of a child, and of a scope")
    func inTrees() async throws {
        let store = Ledger.store()
        let adding = Reduce<Int, Int> { state, step in
            state += step
            return .none
        }
        let child = store.child(initialState: 0, reducer: adding, action: { _ in nil })
        #expect(try await child.take(.where { $0 > 1 }) { _ = child.send(contentsOf: [1, 2, 3]) } == 2)
        let scope = store.scope(state: \.note, action: Self.written.embed, extract: Self.written.extract)
        #expect(try await scope.take(.where { _ in true }) { store.send(contentsOf: [.add(1), .write("x")]) } == "x")
        let waiting = Task { try await child.take(.where { $0 == 100 }) }
        await untilObserved(store)
        await child.shutdown(drain: .finishEffects)
        await #expect(throws: WaitError.storeEnded) { try await waiting.value }
    }

    @Test("The description of every error says why the wait has ended")
    func descriptions() {
        for error in [WaitError.timedOut, .cancelled, .storeEnded, .notReady] { #expect(error.description.count > 20) }
    }
}
