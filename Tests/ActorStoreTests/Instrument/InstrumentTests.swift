import ActorStore
import ActorStoreInstruments
import Foundation
import Testing

@testable import TestFixtures

/// A clock that counts how often it is read.
private struct ReadClock: Clock {
    let time = ManualClock()
    let readings = LockedValue(0)

    var now: ManualClock.Instant {
        readings.withLock { $0 += 1 }
        return time.now
    }
    var minimumResolution: Duration { time.minimumResolution }

    func sleep(until deadline: ManualClock.Instant, tolerance: Duration?) async throws {
        try await time.sleep(until: deadline, tolerance: tolerance)
    }
}

@Suite("Instruments", .timeLimit(.minutes(10)))
struct InstrumentTests {
    @Test("An instrument receives an action, its reduction, the observers and the effects, in this order")
    func order() async throws {
        let (store, recording) = (Ledger.store(), RecordingInstrument())
        let observation = store.observe(\.total) { _ in }
        store.use(recording)
        store.send(.add(2))
        try await store.dispatch(.start(.run { _ in })).finish()
        _ = await store.state
        #expect(
            recording.lines == [
                "store 1 accepted add(2)", "store 1 reduced #1", "store 1 notified 1",
                "store 2 accepted start", "store 2 reduced #2", "store 2 notified 1",
                "store effect 1 of 2 began", "store effect 1 ended",
            ]
        )
        observation.cancel()
    }

    @Test("An instrument receives the durations of reducers and observers, measured by its clock")
    func durations() async throws {
        let (clock, counting) = (ManualClock(), CountingInstrument())
        let store = Store(initialState: 0) { (sum: inout Int, step: Int) in
            clock.advance(by: .milliseconds(step))
            sum += step
        }
        let observation = store.observe(\.self) { _ in clock.advance(by: .milliseconds(1)) }
        store.use(counting, clock: clock)
        store.send(2)
        store.send(3)
        #expect(counting.counts.reductions.count == 2)
        #expect(counting.counts.reductions.sum == .milliseconds(5))
        #expect(counting.counts.reductions.maximum == .milliseconds(3))
        #expect(counting.counts.notifications.sum == .milliseconds(2))
        observation.cancel()
    }

    @Test("An instrument receives how long an action waited for a busy store: sent, dispatched or batched")
    func waiting() async throws {
        let (clock, recording) = (ManualClock(), RecordingInstrument())
        let store = Ledger.store()
        store.use(recording, clock: clock)
        let hold = await store.holdUp()
        store.send(.add(1))
        clock.advance(by: .milliseconds(4))
        store.send(contentsOf: [.add(2), .add(3)])
        let dispatcher = Task { try await store.dispatch(.add(4)) }
        await until { store.statistics.waitingActions >= 4 }
        clock.advance(by: .milliseconds(3))
        hold.release()
        _ = try await dispatcher.value
        store.send(.add(5))
        let waiting = recording.events.compactMap { event -> Duration? in
            if case .actionAccepted(let event) = event { event.waiting } else { nil }
        }
        #expect(
            waiting == [
                .zero, .milliseconds(7), .milliseconds(3), .milliseconds(3), .milliseconds(3), .zero,
            ]
        )
    }

    @Test("An instrument receives the end time of an effect, although a busy store processes it later")
    func endOfEffect() async throws {
        let (clock, recording, latch) = (ReadClock(), RecordingInstrument(), Latch())
        let store = Ledger.store()
        store.use(recording, clock: clock)
        let task = try await store.dispatch(.start(.run { _ in await latch.wait() }))
        let hold = await store.holdUp()
        clock.time.advance(by: .milliseconds(3))
        let before = clock.readings.withLock { $0 }
        latch.open()
        await until { clock.readings.withLock { $0 } > before }
        clock.time.advance(by: .seconds(1))
        hold.release()
        try await task.finish()
        let ends = recording.events.compactMap { event in
            if case .effectEnded(let end) = event { end.duration } else { nil }
        }
        #expect(ends == [.milliseconds(3)])
    }

    @Test("An instrument receives rejected, late and dropped actions, each with its reason")
    func drops() async throws {
        let (recording, counting, text) = (RecordingInstrument(), CountingInstrument(), Collector<String>())
        let trace = ChromeTraceInstrument { piece in text.append(piece) }
        let guardian = Interceptor<Ledger.State, Ledger.Action>("guardian") { action, _, next in
            if case .add(let amount) = action, amount < 0 { return }
            try next(action)
        }
        let configuration = StoreConfiguration(name: "orders", mailbox: .bounded(1, whenFull: .dropOldest))
        let store = Ledger.store(interceptors: [guardian], configuration: configuration)
        store.use(recording)
        store.use(counting)
        store.use(trace)
        let observation = store.observe(\.total) { _ in }
        store.send(.add(-1))
        let hold = await store.holdUp()
        store.send(.add(1))
        store.send(.add(2))
        hold.release()
        _ = await store.state
        let (begun, late) = (Signal(), Signal())
        let effect = Effect<Ledger.Action>.run { send in
            begun.fire()
            while !Task.isCancelled { await Task.yield() }
            send(.add(3))
            late.fire()
        }
        let task = try await store.dispatch(.start(effect))
        await begun.wait()
        task.cancel()
        await late.wait()
        try await task.finish()
        _ = await store.state
        let dropped = recording.lines.filter { $0.contains("dropped") }
        #expect(
            dropped == [
                "orders 1 dropped 1: rejected(\(StoreError.rejected(by: "guardian")))",
                "orders dropped 1: overload",
                "orders dropped 1: late",
            ]
        )
        let counts = counting.counts
        #expect(counts.rejected == 1 && counts.droppedByOverload == 1 && counts.droppedAsLate == 1)
        trace.finish()
        observation.cancel()
        let events = try #require(
            JSONSerialization.jsonObject(with: Data(text.elements.joined().utf8)) as? [[String: Any]]
        )
        #expect(events.filter { $0["cat"] as? String == "dropped" }.count == 3)
        #expect(events.contains { $0["cat"] as? String == "observers" })
        let outcomes = events.compactMap { ($0["args"] as? [String: Any])?["outcome"] as? String }
        #expect(outcomes == ["cancelled"])
    }

    @Test("A batch is reported after its reduction, and the state does not change during calls of an instrument")
    func batches() async throws {
        struct Looking: StoreInstrument {
            let store: WeakStore<Ledger.State, Ledger.Action>
            let totals: Collector<Int?>
            func record(_ event: InstrumentEvent) {
                switch event {
                case .actionAccepted, .actionReduced: totals.append(store.snapshot?.total)
                default: break
                }
            }
        }
        let (store, totals, recording) = (Ledger.store(), Collector<Int?>(), RecordingInstrument())
        store.use(Looking(store: store.weak, totals: totals))
        store.use(recording)
        store.send(contentsOf: [.add(1), .add(2)])
        store.send(.add(3))
        #expect(totals.elements == [3, 3, 3, 3, 3, 6])
        #expect(
            recording.lines == [
                "store 1 accepted add(1)", "store 1 reduced #1", "store 2 accepted add(2)", "store 2 reduced #2",
                "store 3 accepted add(3)", "store 3 reduced #3",
            ]
        )
    }

    @Test("An instrument receives events after its addition, and none after its removal")
    func removal() async throws {
        let (store, recording) = (Ledger.store(), RecordingInstrument())
        store.send(.add(1))
        let use = store.use(recording)
        store.send(.add(2))
        use.remove()
        use.remove()
        try await store.dispatch(.start(.run { _ in })).finish()
        _ = await store.state
        #expect(recording.lines == ["store 1 accepted add(2)", "store 1 reduced #2"])
    }

    @Test("An instrument receives actions stopped by asynchronous interceptors")
    func asynchronousRejection() async throws {
        let (store, recording) = (Ledger.store(), RecordingInstrument())
        store.use(AsyncInterceptor("slow") { _, _ in nil })
        store.use(recording)
        await #expect(throws: StoreError.rejected(by: "slow")) { try await store.dispatch(.add(1)) }
        _ = await store.state
        #expect(recording.events.count == 1)
        #expect(recording.lines.first?.hasPrefix("store dropped 1: rejected") == true)
    }

    @Test("Instruments record actions stopped by an asynchronous interceptor with a cancellation error")
    func rejectionAsCancelled() async throws {
        let (store, recording) = (Ledger.store(), RecordingInstrument())
        store.use(AsyncInterceptor("impatient") { _, _ in throw StoreError.cancelled })
        store.use(recording)
        await #expect(throws: StoreError.cancelled) { try await store.dispatch(.add(1)) }
        _ = await store.state
        #expect(store.statistics.rejectedActions == 1)
        #expect(recording.lines.count == 1 && recording.lines.first?.hasPrefix("store dropped 1: rejected") == true)
    }

    @Test("An action sent by an instrument is reduced later, and reported in its turn")
    func sending() async throws {
        struct Echo: StoreInstrument {
            let store: WeakStore<Ledger.State, Ledger.Action>
            func record(_ event: InstrumentEvent) {
                guard case .actionReduced(let event) = event else { return }
                if case .add(1)? = event.action as? Ledger.Action { store.send(.write("echo")) }
            }
        }
        let (store, recording) = (Ledger.store(), RecordingInstrument())
        store.use(Echo(store: store.weak))
        store.use(recording)
        store.send(.add(1))
        #expect(store.snapshot.note == "echo")
        #expect(
            recording.lines == [
                "store 1 accepted add(1)", "store 1 reduced #1",
                "store 2 accepted write(\"echo\")", "store 2 reduced #2",
            ]
        )
    }

    /// Retains the token of its own use.
    private final class SelfRemoving: StoreInstrument {
        let use = LockedValue<Interception?>(nil)
        private let token: Token

        init(_ onRelease: @escaping @Sendable () -> Void) { token = Token(onRelease) }

        func record(_ event: InstrumentEvent) {}
    }

    @Test("An instrument that holds its own token is released with its store, also when effects are left")
    func release() async throws {
        let (released, kept) = (Signal(), LockedValue<Send<Ledger.Action>?>(nil))
        var token: Interception?
        do {
            let store = Ledger.store()
            let instrument = SelfRemoving { released.fire() }
            token = store.use(instrument)
            instrument.use.withLock { $0 = token }
            let effect = Effect<Ledger.Action>.run { send in kept.withLock { $0 = send } }
            try await store.dispatch(.start(effect)).finish()
            let send = try #require(kept.withLock { $0 })
            #expect(send(.add(1)) == .dropped)
        }
        await released.wait()
        #expect(kept.withLock { $0 }?(.add(1)) == .refused(.shutDown))
        token?.remove()
    }

    @Test("An instrument receives drops from its addition on, also before its first turn")
    func droppedBeforeFirstTurn() async throws {
        let isLoaded = Latch()
        let store = Store(
            initialState: 0,
            loading: {
                await isLoaded.wait()
                return 0
            },
            reducer: Reduce<Int, Int> { sum, amount in
                sum += amount
                return .none
            },
            configuration: StoreConfiguration(mailbox: .bounded(1, whenFull: .dropNewest))
        )
        let recording = RecordingInstrument()
        store.use(recording)
        #expect([store.send(1), store.send(2), store.send(3)] == [.accepted, .dropped, .dropped])
        isLoaded.open()
        try await store.ready()
        _ = await store.state
        let dropped = recording.events.compactMap { event in
            if case .actionDropped(let event) = event { event.action as? Int } else { nil }
        }
        #expect(dropped == [2, 3] && store.statistics.droppedActions == 2)
        let use = store.use(RecordingInstrument())
        use.remove()
        use.remove()
        let count = recording.events.count
        store.send(4)
        #expect(recording.events.count == count + 2)
    }
}
