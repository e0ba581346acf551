import ActorStore
import ActorStoreCommands
import ActorStoreInstruments
import Testing

@testable import TestFixtures

@Suite("Instruments: effects and trees", .timeLimit(.minutes(10)))
struct InstrumentedEffectTests {
    private struct Mishap: Error, CustomStringConvertible {
        var description: String { "mishap" }
    }

    @Test("The end of an effect is reported as finished, cancelled or failed, with its duration")
    func outcomes() async throws {
        let (clock, recording, counting) = (ManualClock(), RecordingInstrument(), CountingInstrument())
        let store = Ledger.store()
        store.use(recording, clock: clock)
        store.use(counting)
        try await store.dispatch(.start(.run(id: "done") { _ in clock.advance(by: .seconds(1)) })).finish()
        let begun = Signal()
        let endless = Effect<Ledger.Action>.run(id: "cancelled") { _ in
            begun.fire()
            while !Task.isCancelled { await Task.yield() }
            clock.advance(by: .seconds(2))
        }
        let cancelled = try await store.dispatch(.start(endless))
        await begun.wait()
        cancelled.cancel()
        try await cancelled.finish()
        let failing = Effect<Ledger.Action>.run { _ in
            clock.advance(by: .seconds(3))
            throw Mishap()
        }
        await #expect(throws: Mishap.self) { try await store.dispatch(.start(failing)).finish() }
        let caught = Effect<Ledger.Action>.run { _ in
            throw Mishap()
        } catch: { _ in
            .add(1)
        }
        try await store.dispatch(.start(caught)).finish()
        _ = await store.state
        #expect(
            recording.lines.filter { $0.contains("effect") } == [
                "store effect 1 of 1 began", "store effect 1 ended",
                "store effect 2 of 2 began", "store effect 2 cancelled",
                "store effect 3 of 3 began", "store effect 3 failed: mishap",
                "store effect 4 of 4 began", "store effect 4 ended",
            ]
        )
        let ids = recording.events.compactMap { event -> EffectID?? in
            if case .effectBegan(let event) = event { event.id } else { nil }
        }
        #expect(ids == [EffectID("done"), EffectID("cancelled"), nil, nil])
        let counts = counting.counts
        #expect(counts.begunEffects == 4 && counts.runningEffects == 0)
        #expect(counts.endedEffects.count == 2 && counts.endedEffects.sum == .seconds(1))
        #expect(counts.cancelledEffects.maximum == .seconds(2))
        #expect(counts.failedEffects.maximum == .seconds(3))
        _ = try await store.errors.first(1)
    }

    @Test("An instrument receives the end of an effect only after its beginning")
    func laterInstruments() async throws {
        let (store, goOn, former, later) = (Ledger.store(), Signal(), CountingInstrument(), CountingInstrument())
        store.use(former)
        let task = try await store.dispatch(.start(.run { _ in await goOn.wait() }))
        store.use(later)
        try await store.dispatch(.start(.run { _ in })).finish()
        goOn.fire()
        try await task.finish()
        #expect(former.counts.endedEffects.count == 2)
        #expect(later.counts.begunEffects == 1 && later.counts.endedEffects.count == 1)
        #expect(later.counts.runningEffects == 0)
    }

    @Test("The error of an effect is counted before its failure is reported")
    func errorsBeforeEnds() async throws {
        struct Asking: StoreInstrument {
            weak let store: Store<Ledger.State, Ledger.Action>?
            let counts = Collector<Int?>()
            func record(_ event: InstrumentEvent) {
                if case .effectFailed = event { counts.append(store?.statistics.failures) }
            }
        }
        let store = Ledger.store()
        let asking = Asking(store: store)
        store.use(asking)
        let failing = Effect<Ledger.Action>.run { _ in throw Mishap() }
        await #expect(throws: Mishap.self) { try await store.dispatch(.start(failing)).finish() }
        #expect(asking.counts.elements == [1])
        _ = try await store.errors.first(1)
    }

    @Test("Later parts of a concatenation are reported at their beginning, without a cause")
    func laterParts() async throws {
        let (store, recording) = (Ledger.store(), RecordingInstrument())
        store.use(recording)
        try await store.dispatch(.start(.concatenate(.run { _ in }, .run { _ in }))).finish()
        #expect(
            recording.lines.filter { $0.contains("effect") } == [
                "store effect 1 of 1 began", "store effect 1 ended", "store effect 2 began", "store effect 2 ended",
            ]
        )
    }

    @Test("A waiting group is reported while it waits, and its parts after the wait, each exactly once")
    func waitsOfGroups() async throws {
        let (clock, store) = (ManualClock(), Ledger.store())
        let (recording, counting) = (RecordingInstrument(), CountingInstrument())
        store.use(recording)
        store.use(counting)
        func ask(_ effect: Effect<Ledger.Action>) async throws -> StoreTask {
            try await store.dispatch(.start(effect.debounce(id: "w", for: .seconds(1), clock: clock)))
        }
        let replaced = try await ask(.send(.add(1)))
        await clock.waitForSleepers()
        let cancelled = try await ask(.concatenate(.run { _ in }, .send(.add(1))))
        try await replaced.finish()
        await clock.waitForSleepers()
        _ = await store.state
        #expect(counting.counts.runningEffects == 1 && store.statistics.runningEffects == 1)
        cancelled.cancel()
        try await cancelled.finish()
        let last = try await ask(.merge(.run { _ in }, .send(.add(1))))
        await clock.waitForSleepers()
        clock.advance(by: .seconds(1))
        try await last.finish()
        _ = await store.state
        #expect(
            recording.lines.filter { $0.contains("effect") } == [
                "store effect 1 of 1 began", "store effect 2 of 2 began", "store effect 1 cancelled",
                "store effect 2 cancelled",
                "store effect 3 of 3 began", "store effect 3 ended", "store effect 4 began", "store effect 4 ended",
            ]
        )
        let beginnings = recording.events.compactMap { event -> BegunEffect? in
            if case .effectBegan(let event) = event { event } else { nil }
        }
        #expect(beginnings.map(\.isWaiting) == [true, true, true, false])
        #expect(beginnings.map(\.id) == [EffectID("w"), EffectID("w"), EffectID("w"), nil])
        #expect(counting.counts.runningEffects == 0 && store.statistics.runningEffects == 0)
    }

    @Test("A group that waits in a queue is reported while it waits, also if the store is released meanwhile")
    func groupsInQueues() async throws {
        let (goOn, counting) = (Signal(), CountingInstrument())
        var store: Store? = Ledger.store()
        store?.use(counting)
        for _ in 0..<2 {
            let group = Effect<Ledger.Action>.merge(.run { _ in await goOn.wait() }, .run { _ in await goOn.wait() })
            try await store?.dispatch(.start(group.cancellable(id: "q", policy: .serial)))
        }
        // The two parts of the first group, and the second group.
        #expect(counting.counts.begunEffects == 3 && store?.statistics.runningEffects == 3)
        goOn.fire()
        store = nil
        await until { counting.counts.runningEffects == 0 }
    }

    @Test("An effect of a batched action is reported with the action's number, at a root and at a child")
    func batches() async throws {
        let recording = RecordingInstrument()
        let root = Ledger.store(configuration: StoreConfiguration(name: "root"))
        let child = root.child(initialState: Ledger.State(), reducer: Ledger(), name: "leaf")
        root.use(
            Interceptor("no") { action, _, next in if case .add(-1) = action { return } else { try next(action) } }
        )
        child.use(recording)
        let effect = Effect<Ledger.Action>.run { _ in }
        root.send(contentsOf: [.start(effect), .add(1), .start(effect), .add(-1)])
        child.send(contentsOf: [.add(1), .start(effect), .add(1)])
        await root.shutdown(drain: .finishEffects)
        #expect(
            recording.lines.filter { $0.contains("began") }.map { $0.dropLast(" began".count) } == [
                "root effect 1 of 1", "root effect 2 of 3", "leaf effect 3 of 6", "root effect 4 of 6",
            ]
        )
    }

    @Test("A state-driven effect is reported without a cause, also in the turn of an action that requests effects")
    func driven() async throws {
        let (store, recording) = (Ledger.store(), RecordingInstrument())
        store.effect(onChange: \.total) { _, _ in .run { _ in } }
        store.use(recording)
        store.send(contentsOf: [.add(1), .start(.run { _ in })])
        await store.shutdown(drain: .finishEffects)
        #expect(
            recording.lines.filter { $0.contains("began") } == ["store effect 1 began", "store effect 2 of 2 began"]
        )
    }

    @Test("Actions and effects of children are reported with the child's name")
    func children() async throws {
        let recording = RecordingInstrument()
        let root = Ledger.store(configuration: StoreConfiguration(name: "root"))
        let child = root.child(initialState: Ledger.State(), reducer: Ledger(), name: "leaf")
        child.use(recording)
        let effect = Effect<Ledger.Action>.run { _ in }
        try await child.dispatch(.start(effect)).finish()
        root.send(.add(1))
        child.send(contentsOf: [.add(2), .add(3)])
        _ = await root.state
        // The effect belongs to both stores, each of which reduces the action.
        #expect(recording.lines.prefix(2) == ["leaf 1 accepted start", "leaf 1 reduced #1"])
        let effects = recording.lines.filter { $0.contains("effect") }
        #expect(effects.prefix(2) == ["leaf effect 1 of 1 began", "root effect 2 of 1 began"])
        #expect(Set(effects.suffix(2)) == ["leaf effect 1 ended", "root effect 2 ended"])
        #expect(
            recording.lines.suffix(6) == [
                "root 2 accepted add(1)", "root 2 reduced #2", "leaf 3 accepted add(2)", "leaf 3 reduced #3",
                "leaf 4 accepted add(3)", "leaf 4 reduced #4",
            ]
        )
    }

    @Test("An effect's action is reported like any other, and a waiting action of a child with its wait")
    func feedback() async throws {
        let (clock, recording) = (ManualClock(), RecordingInstrument())
        let root = Ledger.store(configuration: StoreConfiguration(name: "root"))
        let child = root.child(initialState: Ledger.State(), reducer: Ledger(), name: "leaf")
        root.use(recording, clock: clock)
        try await root.dispatch(.start(.run { send in send(.add(1)) })).finish()
        let hold = await root.holdUp()
        child.send(.add(2))
        clock.advance(by: .seconds(1))
        hold.release()
        _ = await root.state
        let accepted = recording.events.compactMap { event -> AcceptedAction? in
            if case .actionAccepted(let event) = event { event } else { nil }
        }
        #expect(accepted.map(\.store) == ["root", "root", "root", "leaf"])
        #expect(accepted.map(\.waiting) == [.zero, .zero, .zero, .seconds(1)])
    }
}
