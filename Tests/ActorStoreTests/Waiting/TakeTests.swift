import ActorStore
import Testing

@testable import TestFixtures

@Suite("Waiting for an action", .timeLimit(.minutes(10)))
struct TakeTests {
    typealias Action = Ledger.Action

    static let written = CasePath<Action, String>(embed: Action.write) {
        if case .write(let note) = $0 { note } else { nil }
    }

    /// Waits until somebody observes the actions of the store.
    private func untilObserved(_ store: Store<some Sendable, some Sendable>) async {
        while await store.observerRecords.isEmpty { await Task.yield() }
    }

    @Test("It returns the next action that matches, when that has been reduced, and none before it")
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

    @Test("The payload of a case is returned, by a case path, by a case's own name, or by a closure")
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

    @Test("What is dispatched after the wait has begun is never missed, however often, and however busy the store is")
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

    @Test("An effect's answer is waited for with the time allowed, which begins when the question has been asked")
    func answers() async throws {
        let store = Ledger.store()
        let clock = ManualClock()
        let answer = try await store.take(.case(Self.written), timeout: .seconds(5), clock: clock) {
            clock.advance(by: .seconds(10))
            try await store.dispatch(.start(.run { send in send(.write("answer")) }))
        }
        #expect(answer == "answer")
    }

    @Test("What the question throws is thrown, and nobody waits any more")
    func questionFails() async throws {
        let store = Ledger.store()
        await store.shutdown(drain: .finishEffects)
        let open = Ledger.store()
        await #expect(throws: StoreError.shutDown) {
            try await open.take(.case(Self.written)) { try await store.dispatch(.add(1)) }
        }
        #expect(await open.observerRecords.isEmpty)
    }

    @Test("When the time is over it throws at once, also if the store is busy, and observes no longer")
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

    @Test("When its task is cancelled it throws at once, also if the store is busy, and its clock is left alone")
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

    @Test("A store that ends while somebody waits throws, and so does one that has ended")
    func storeEnds() async throws {
        let store = Ledger.store()
        let waiting = Task { try await store.take(.case(Self.written)) }
        await untilObserved(store)
        await store.shutdown(drain: .finishEffects)
        await #expect(throws: WaitError.storeEnded) { try await waiting.value }
        await #expect(throws: WaitError.storeEnded) { try await store.take(.case(Self.written)) }
    }

    @Test("A wait for an action ends when the first state cannot be loaded, and at once when it could not be")
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
        await wait { store.statistics.observers == before + waits.count && store.statistics.waitingActions == 1 }
        goOn.open()
        for task in early { await #expect(throws: WaitError.notReady) { try await task.value } }
        for wait in waits { await #expect(throws: WaitError.notReady) { try await wait() } }
        await store.shutdown(drain: .finishEffects)
        for wait in waits { await #expect(throws: WaitError.storeEnded) { try await wait() } }
        #expect(try await errors.all().map(\.origin) == [.loading])
    }

    @Test("What an effect sends during a shutdown is still waited for")
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
        while store.phase.isReady { await Task.yield() }
        goOn.fire()
        #expect(try await waiting.value == "last")
        _ = await shutdown.value
    }

    @Test("The condition is not asked again when it has been true, and the wait keeps nothing")
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

    @Test("It can wait for the actions of a child, and of a scope")
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

    @Test("Every error says why the wait has ended")
    func descriptions() {
        for error in [WaitError.timedOut, .cancelled, .storeEnded, .notReady] { #expect(error.description.count > 20) }
    }
}
