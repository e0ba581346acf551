import ActorStore
import Testing

@testable import TestFixtures

@Suite("Shutdowns with a deadline", .timeLimit(.minutes(10)))
struct ShutdownDeadlineTests {
    typealias Action = Ledger.Action

    /// An effect that runs until the test releases it, whatever else happens.
    private func stubborn(_ began: Signal, _ goOn: Latch) -> Effect<Action> {
        .run(id: "stubborn") { send in
            began.fire()
            await goOn.wait()
            send(.add(100))
        }
    }

    @Test("A shutdown awaits effects that end in time, and leaves nothing running")
    func inTime() async throws {
        let store = Ledger.store()
        let clock = ManualClock()
        let goOn = Signal()
        try await store.dispatch(
            .start(
                .run { send in
                    await goOn.wait()
                    send(.add(5))
                }
            )
        )
        let shutdown = Task { await store.shutdown(drain: .finishEffects, within: .seconds(10), clock: clock) }
        await clock.waitForSleepers()
        clock.advance(by: .seconds(1))
        goOn.fire()
        let report = await shutdown.value
        #expect(report.isClean)
        #expect(report.duration == .seconds(1))
        #expect(report.description == "Nothing is left running.")
        #expect(store.snapshot.total == 5)
        #expect(store.statistics.runningEffects == 0)
        await clock.waitForSleepers(0)
    }

    @Test(
        "Slow effects are cancelled a tenth of the time before the deadline, and those that obey are clean"
    )
    func obedient() async throws {
        let store = Ledger.store()
        let clock = ManualClock()
        try await store.dispatch(.start(.run { _ in await untilCancelled() }))
        let shutdown = Task { await store.shutdown(drain: .finishEffects, within: .seconds(10), clock: clock) }
        await clock.waitForSleeper(until: .seconds(9))
        clock.advance(by: .seconds(9))
        let report = await shutdown.value
        #expect(report.isClean)
        #expect(report.duration == .seconds(9))
    }

    @Test("The time reserved for cancelled effects is configurable; with zero they have until the deadline")
    func reserve() async throws {
        for (reserve, deadline) in [(Duration.seconds(4), Duration.seconds(6)), (.zero, .seconds(10))] {
            let store = Ledger.store()
            let clock = ManualClock()
            let began = Signal()
            try await store.dispatch(
                .start(
                    .run { _ in
                        began.fire()
                        await untilCancelled()
                    }
                )
            )
            await began.wait()
            let shutdown = Task {
                await store.shutdown(drain: .finishEffects, within: .seconds(10), reserving: reserve, clock: clock)
            }
            await clock.waitForSleeper(until: deadline)
            clock.advance(by: deadline)
            let report = await shutdown.value
            #expect(report.duration == deadline)
            #expect(report.isClean || reserve == .zero)
            #expect(try await store.errors.all().count == report.unfinishedEffects.count)
            #expect(store.phase.description == "ended")
        }
    }

    @Test(
        "Effects that ignore cancellation do not block a shutdown: it reports them, and drops their actions",
        arguments: [ShutdownDrain.finishEffects, .cancelEffects]
    )
    func disobedient(drain: ShutdownDrain) async throws {
        let store = Ledger.store()
        let errors = store.errors
        let clock = ManualClock()
        let (began, goOn) = (Signal(), Latch())
        let start = ContinuousClock.now
        let line: UInt = #line + 1
        let effect = Effect<Action>.run(id: "stubborn") { send in
            began.fire()
            await goOn.wait()
            send(.add(100))
        }
        let task = try await store.dispatch(.start(effect))
        await began.wait()
        let begun = ContinuousClock.now
        let shutdown = Task { await store.shutdown(drain: drain, within: .seconds(10), clock: clock) }
        if drain == .finishEffects {
            await clock.waitForSleeper(until: .seconds(9))
            clock.advance(by: .seconds(9))
        }
        await clock.waitForSleeper(until: .seconds(10))
        let before = begun.duration(to: .now)
        clock.advance(by: .seconds(10))
        let report = await shutdown.value
        #expect(!report.isClean && !report.isLoading)
        let unfinished = try #require(report.unfinishedEffects.first)
        #expect(report.unfinishedEffects.count == 1)
        #expect(unfinished.id == EffectID("stubborn"))
        #expect(unfinished.source.line == line)
        #expect(unfinished.action is Action)
        #expect(unfinished.runningTime >= before && unfinished.runningTime <= start.duration(to: .now))
        #expect(report.description.contains("\"stubborn\"") && report.description.contains(":\(line) has been running"))

        let failures = try await errors.all()
        #expect(failures.map(\.origin) == [.effect(id: EffectID("stubborn"), at: unfinished.source)])
        #expect((failures.first?.error as? EffectStillRunning)?.runningTime == unfinished.runningTime)
        #expect(store.statistics.failures == 1)
        #expect(store.statistics.runningEffects == 1)

        goOn.open()
        try await task.finish()
        await until { store.statistics.runningEffects == 0 }
        #expect(store.snapshot.total == 0)
        #expect(store.statistics.lateActions == 1)
    }

    @Test("Cancelling the task of a shutdown cancels the effects, and the deadline still applies")
    func cancelledWaiter() async throws {
        let store = Ledger.store()
        let clock = ManualClock()
        let (began, goOn) = (Signal(), Latch())
        try await store.dispatch(.start(stubborn(began, goOn)))
        try await store.dispatch(.start(.run(id: "obedient") { _ in await untilCancelled() }))
        await began.wait()
        let shutdown = Task { await store.shutdown(drain: .finishEffects, within: .seconds(10), clock: clock) }
        await clock.waitForSleepers()
        shutdown.cancel()
        await until { store.statistics.runningEffects <= 1 }
        await clock.waitForSleepers()
        clock.advance(by: .seconds(9))
        await clock.waitForSleeper(until: .seconds(10))
        clock.advance(by: .seconds(1))
        #expect(await shutdown.value.unfinishedEffects.map(\.id) == [EffectID("stubborn")])
        #expect(try await store.errors.all().map { $0.error is EffectStillRunning } == [true])
        goOn.open()
    }

    @Test("A shutdown without a deadline continues to wait, also for effects of children")
    func patientOnes() async throws {
        let store = Ledger.store()
        let clock = ManualClock()
        let (began, goOn) = (Signal(), Latch())
        let reducer = Reduce<Int, Int> { _, _ in
            .run { _ in
                began.fire()
                await goOn.wait()
            }
        }
        let child = store.child(initialState: 0, reducer: reducer, action: { _ in nil })
        try await child.dispatch(1)
        await began.wait()
        let ended = Collector<String>()
        let patient = Task {
            await store.shutdown(drain: .finishEffects)
            ended.append("patient")
        }
        let impatient = Task { await store.shutdown(drain: .cancelEffects, within: .seconds(1), clock: clock) }
        await clock.waitForSleepers()
        clock.advance(by: .seconds(1))
        #expect(await impatient.value.unfinishedEffects.count == 1)
        #expect(try await store.errors.all().map { $0.error is EffectStillRunning } == [true])
        ended.append("impatient")
        #expect(ended.elements == ["impatient"])
        goOn.open()
        await patient.value
        #expect(store.statistics.runningEffects == 0)
    }

    @Test(
        "An effect left running by several shutdowns is reported once, and is in the result of each",
        arguments: [false, true]
    )
    func reportedOnce(isInChild: Bool) async throws {
        let root = Ledger.store()
        let child = root.child(initialState: Ledger.State(), reducer: Ledger(), action: { _ in nil }).scope(\.local)
        let store = isInChild ? child : root
        let errors = root.errors
        let clock = ManualClock()
        let (began, goOn) = (Signal(), Latch())
        let task = try await store.dispatch(.start(stubborn(began, goOn)))
        await began.wait()
        let shutdowns = (1...2).map { seconds in
            Task { await store.shutdown(drain: .cancelEffects, within: .seconds(seconds), clock: clock) }
        }
        await clock.waitForSleepers(2)
        clock.advance(by: .seconds(1))
        #expect(await shutdowns[0].value.unfinishedEffects.map(\.id) == [EffectID("stubborn")])
        clock.advance(by: .seconds(1))
        #expect(await shutdowns[1].value.unfinishedEffects.map(\.id) == [EffectID("stubborn")])
        // With the tree, and after its end.
        for _ in 1...2 {
            let report = await root.shutdown(drain: .cancelEffects, within: .zero, clock: clock)
            #expect(report.unfinishedEffects.map(\.id) == [EffectID("stubborn")])
        }
        #expect(try await errors.all().map { $0.error is EffectStillRunning } == [true])
        #expect(root.statistics.failures == 1)
        goOn.open()
        try await task.finish()
    }

    @Test("An effect that shuts its own store down is neither awaited nor reported")
    func fromAnEffect() async throws {
        let store = Ledger.store()
        let reports = Collector<ShutdownReport>()
        let task = try await store.dispatch(
            .start(.run { _ in reports.append(await store.shutdown(drain: .finishEffects, within: .seconds(60))) })
        )
        try await task.finish()
        #expect(reports.elements.map(\.isClean) == [true])
        #expect(store.statistics.failures == 0)
    }

    @Test("A loading that ignores cancellation does not block a shutdown, and the store ends without it")
    func loading() async throws {
        let clock = ManualClock()
        let (began, goOn) = (Signal(), Latch())
        let store = Store(
            initialState: Ledger.State(),
            loading: {
                began.fire()
                await goOn.wait()
                return Ledger.State(total: 7)
            },
            reducer: Ledger()
        )
        await began.wait()
        let shutdown = Task { await store.shutdown(drain: .finishEffects, within: .seconds(1), clock: clock) }
        await clock.waitForSleepers()
        clock.advance(by: .seconds(1))
        let report = await shutdown.value
        #expect(report.isLoading && !report.isClean)
        #expect(report.description == "The first state is still being loaded.")
        #expect(store.phase.description == "ended")
        goOn.open()
    }

    @Test("A shutdown also awaits effects that begin later, with waiting actions")
    func effectsThatBeginLate() async throws {
        let store = Ledger.store()
        let hold = await store.holdUp()
        let last = Effect<Action>.run { send in send(.add(5)) }
        store.send(.start(.send(.start(.send(.start(last))))))
        let shutdown = Task { await store.shutdown(drain: .finishEffects) }
        await until { !store.phase.isReady }
        hold.release()
        _ = await shutdown.value
        #expect(store.snapshot.total == 5)
        #expect(store.statistics.runningEffects == 0)
    }

    @Test("A shutdown with .cancelEffects also cancels effects that begin later, so that it ends")
    func lateEffectsAreCancelled() async throws {
        let store = Ledger.store()
        let hold = await store.holdUp()
        // Reduced before the shutdown, but the action that it sends, and that starts the effect, after it.
        store.send(.start(.send(.start(.run { _ in await untilCancelled() }))))
        let shutdown = Task { await store.shutdown(drain: .cancelEffects) }
        await until { !store.phase.isReady }
        hold.release()
        _ = await shutdown.value
        #expect(store.statistics.runningEffects == 0)
    }
}
