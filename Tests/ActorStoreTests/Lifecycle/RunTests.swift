import Testing

@testable import ActorStore
@testable import TestFixtures

@Suite("Running a store as a service", .timeLimit(.minutes(10)))
struct RunTests {
    struct Broken: Error {}

    @Test("run() returns after any shutdown of the store, and at once if that was before")
    func returns() async throws {
        let store = Ledger.store()
        let returned = Collector<Void>()
        let services = (0..<2).map { _ in
            Task {
                try await store.run()
                returned.append(())
            }
        }
        try await store.dispatch(.add(1))
        #expect(returned.elements.isEmpty)
        await store.shutdown(drain: .finishEffects)
        for service in services { try await service.value }
        try await store.run()
        #expect(store.snapshot.total == 1)
    }

    @Test(
        "Cancelling the task of run() shuts the store down and cancels its effects, and run() returns after their end"
    )
    func cancellation() async throws {
        let store = Ledger.store()
        let events = Collector<String>()
        try await store.dispatch(
            .start(
                .run { _ in
                    await untilCancelled()
                    events.append("cancelled")
                }
            )
        )
        let service = Task {
            try await store.run()
            events.append("returned")
        }
        service.cancel()
        try await service.value
        #expect(events.elements == ["cancelled", "returned"])
        #expect(store.send(.add(1)) == .refused(.shutDown))
        #expect(store.phase.description == "ended")
    }

    @Test("A cancelled run() with a limit returns although an effect ignores the cancellation, which is reported")
    func limitedCancellation() async throws {
        let store = Ledger.store()
        let (clock, goOn) = (ManualClock(), Latch())
        let began = Signal()
        try await store.dispatch(
            .start(
                .run(id: "stubborn") { _ in
                    began.fire()
                    await goOn.wait()
                }
            )
        )
        await began.wait()
        let failures = store.errors
        let service = Task { try await store.run(endingWithin: .seconds(5), clock: clock) }
        service.cancel()
        await clock.waitForSleeper(until: .seconds(5))
        #expect(store.send(.add(1)) == .refused(.shutDown))
        clock.advance(by: .seconds(5))
        try await service.value
        #expect(store.phase.description == "ended")
        var reported: [String] = []
        for await failure in failures { reported.append("\(type(of: failure.error))") }
        #expect(reported == ["EffectStillRunning"])
        goOn.open()
    }

    @Test("A cancelled run() with a limit returns as soon as its effects have ended")
    func limitedObedience() async throws {
        let store = Ledger.store()
        try await store.dispatch(.start(.run { _ in await untilCancelled() }))
        let service = Task { try await store.run(endingWithin: .seconds(5), clock: ManualClock()) }
        service.cancel()
        try await service.value
        #expect(store.phase.description == "ended")
    }

    @Test("A graceful shutdown can begin without waiting, and run() returns when the effects have finished")
    func graceful() async throws {
        let store = Ledger.store()
        let goOn = Signal()
        try await store.dispatch(
            .start(
                .run { send in
                    await goOn.wait()
                    send(.add(5))
                }
            )
        )
        let service = Task { try await store.run() }
        store.beginShutdown(drain: .finishEffects)
        #expect(store.send(.add(1)) == .refused(.shutDown))
        #expect(store.phase.description == "shutting down")
        goOn.fire()
        try await service.value
        #expect(store.snapshot.total == 5)
    }

    @Test("A patient shutdown can be accelerated by another one, and by cancelling run()")
    func escalation() async throws {
        for hurry in ["begin", "cancel"] {
            let store = Ledger.store()
            try await store.dispatch(.start(.run { _ in await untilCancelled() }))
            let service = Task { try await store.run() }
            store.beginShutdown(drain: .finishEffects)
            if hurry == "begin" { store.beginShutdown(drain: .cancelEffects) } else { service.cancel() }
            try await service.value
            #expect(store.statistics.runningEffects == 0)
        }
    }

    @Test("A shutdown begun without waiting does not keep the store alive")
    func releases() async throws {
        var store: Store<Ledger.State, Ledger.Action>? = Ledger.store()
        weak let observed = store
        let values = try #require(store).values(of: \.total)
        try await store?.dispatch(.start(.run { _ in await untilCancelled() }))
        store?.beginShutdown(drain: .finishEffects)
        store = nil
        #expect(observed == nil)
        #expect(try await values.all() == [0])
    }

    @Test(
        "run() throws an error of the loading that looks like a cancellation, or like a shutdown",
        arguments: [CancellationError() as any Error, StoreError.shutDown]
    )
    func loadingFailsLikeAnEnd(_ error: any Error) async throws {
        let store = Store(initialState: Ledger.State(), loading: { throw error }, reducer: Ledger())
        await #expect { try await store.run() } throws: { type(of: $0) == type(of: error) }
        #expect(store.phase.description == "ended")
    }

    @Test("run() shuts the store down and throws the reason if the first state cannot be loaded")
    func loadingFails() async throws {
        let store = Store(initialState: Ledger.State(), loading: { throw Broken() }, reducer: Ledger())
        await #expect(throws: Broken.self) { try await store.run() }
        #expect(store.phase.description == "ended")
        #expect(try await store.errors.all().map(\.origin) == [.loading])
        let loading = Store(
            initialState: Ledger.State(),
            loading: {
                await untilCancelled()
                return Ledger.State()
            },
            reducer: Ledger()
        )
        let service = Task { try await loading.run() }
        service.cancel()
        try await service.value
        #expect(loading.phase.description == "ended")
    }

    @Test("run() of a child returns when the child ends, alone or with the tree")
    func children() async throws {
        let root = Ledger.store()
        let adding = Reduce<Int, Int> { state, step in
            state += step
            return .none
        }
        let first = root.child(initialState: 0, reducer: adding, action: { _ in nil })
        let second = root.child(initialState: 0, reducer: adding, action: { _ in nil })
        let services = [Task { try await first.run() }, Task { try await second.run() }]
        await first.shutdown(drain: .finishEffects)
        try await services[0].value
        try await second.dispatch(1)
        await root.shutdown(drain: .finishEffects)
        try await services[1].value
    }

    @Test(
        "A child's effect that shuts the tree down does not wait for an effect above that waits in run() of the child",
        arguments: [false, true]
    )
    func supervised(isLimited: Bool) async throws {
        let root = Ledger.store()
        let child = Ledger.child(of: root)
        let (isSupervised, hasEnded, wasCancelled) = (Signal(), Signal(), Collector<Bool>())
        let supervision = try await root.dispatch(
            .start(
                .run { _ in
                    isSupervised.fire()
                    if isLimited {
                        try await child.run(endingWithin: .seconds(5), clock: ManualClock())
                    } else {
                        try await child.run()
                    }
                }
            )
        )
        try await child.dispatch(
            .start(
                .run { _ in
                    await isSupervised.wait()
                    await root.shutdown(drain: .cancelEffects)
                    // A cancellation would happen in the background.
                    try? await Task.sleep(for: .milliseconds(20))
                    wasCancelled.append(Task.isCancelled)
                    hasEnded.fire()
                }
            )
        )
        await hasEnded.wait()
        #expect(wasCancelled.elements == [false])
        #expect(supervision.isFinished)
        #expect(root.phase.description == "ended")
    }

    @Test(
        "A shutdown awaits the rest of an effect after its run(), also if the effect was cancelled in run()",
        arguments: [ShutdownDrain.finishEffects, .cancelEffects]
    )
    func afterRun(drain: ShutdownDrain) async throws {
        let root = Ledger.store()
        // The deadline is missed on purpose.
        let errors = root.errors
        defer { withExtendedLifetime(errors) {} }
        let (awaited, own) = (Ledger.child(of: root), Ledger.child(of: root))
        let (isRunning, hasRun, mayEnd, isReleased) = (Signal(), Latch(), Latch(), Latch())
        let ends = Collector<String>()
        let caller = try await own.dispatch(
            .start(
                .run { _ in
                    isRunning.fire()
                    try? await awaited.run()
                    hasRun.open()
                    await mayEnd.wait()
                    ends.append("effect")
                }
            )
        )
        try await awaited.dispatch(.start(.run { _ in await isReleased.wait() }))
        let ending = try await awaited.dispatch(
            .start(
                .run { _ in
                    await hasRun.wait()
                    await own.shutdown(drain: drain)
                    ends.append("shutdown")
                }
            )
        )
        await isRunning.wait()
        caller.cancel()
        await until { await root.root.perform { !root.root.shutdownsByEffects.isEmpty } }
        await awaited.shutdown(drain: .cancelEffects, within: .milliseconds(1))
        await until { !own.phase.isReady }
        // Shutdowns that do not wait for the effect have ended the store by then.
        for _ in 1...10 { await root.root.perform {} }
        mayEnd.open()
        try? await ending.finish()
        #expect(ends.elements == ["effect", "shutdown"])
        isReleased.open()
        await root.shutdown(drain: .finishEffects)
    }
}
