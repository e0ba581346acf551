import ActorStore
import ActorStoreCommands
import ActorStoreSimulation
import Testing

@testable import TestFixtures

@Suite("State-driven effects", .timeLimit(.minutes(10)))
struct DrivenEffectTests {
    private struct Broken: Error, CustomStringConvertible { var description: String { "broken" } }

    @Test("A running state has a running effect, with the state at its beginning, and its results are actions")
    func runs() async throws {
        let store = Workshop.store()
        store.effect(on: \.job) { state in
            let sign = state.sign
            return .run { context in context.send(.done("did \(sign)")) }
        }
        #expect(store.statistics.runningEffects == 0)
        try await store.change {
            $0.sign = "this"; $0.job.run()
        }
        await until { store.snapshot.job.isSucceeded }
        #expect(store.snapshot.log == ["did this"])
    }

    @Test("A driven effect is counted when the action returns, and does not begin again during the same attempt")
    func notRestarted() async throws {
        let (store, work) = (Workshop.store(), HeldWork())
        store.effect(on: \.job) { _ in .run { _ in await work.run("job") } }
        try await store.change { $0.job.run() }
        #expect(store.statistics.runningEffects == 1)
        for _ in 0..<10 {
            try await store.dispatch(.log("other"))
            // Running already, so that nothing changes.
            try await store.change { $0.job.run() }
        }
        await work.waitUntilBegun()
        work.finish("job")
        await until { store.statistics.runningEffects == 0 }
        try await store.dispatch(.log("other"))
        #expect(work.begun.elements == ["job"] && store.snapshot.job.isRunning)
    }

    @Test("Leaving the running state cancels the task in the same turn, and its later actions are dropped and counted")
    func cancelled() async throws {
        for leave in [
            { $0.job.cancel() }, { $0.job.reset() }, { $0.job.succeed() },
            { $0.job.fail(with: EffectFailure(Broken())) }, { $0.job = EffectState() },
        ] as [@Sendable (inout Workshop.State) -> Void] {
            let (store, work) = (Workshop.store(), HeldWork())
            let (sent, dispatched) = (Collector<SendOutcome>(), Collector<StoreError?>())
            store.effect(on: \.job) { _ in
                .run { context in
                    await work.run("job")
                    sent.append(context.send(.log("late")))
                    do { try await context.dispatch(.log("late")) } catch { dispatched.append(error as? StoreError) }
                    throw Broken()
                } catch: { _ in
                    .log("late failure")
                }
            }
            try await store.change { $0.job.run() }
            await work.waitUntilBegun()
            try await store.change { leave(&$0) }
            await until { store.statistics.runningEffects == 0 }
            #expect(work.cancelled.elements == ["job"])
            #expect(sent.elements == [.dropped] && dispatched.elements == [.cancelled])
            #expect(store.snapshot.log == [])
            #expect(store.statistics.lateActions == 2)
        }
    }

    @Test("Actions that a run sends while the action that ends its state waits are dropped")
    func sentMeanwhile() async throws {
        let (store, work) = (Workshop.store(), HeldWork())
        let (hold, sent) = (Hold(), Collector<SendOutcome>())
        store.effect(on: \.job) { _ in
            .run { context in
                await work.run("job")
                sent.append(context.send(.done("late")))
            }
        }
        try await store.change { $0.job.run() }
        await work.waitUntilBegun()
        onThread { store.send(.change { _ in hold.enter() }) }
        await hold.waitUntilEntered()
        store.send(.change { $0.job.cancel() })
        work.finish("job")
        await until { !sent.elements.isEmpty }
        hold.release()
        await until { store.statistics.runningEffects == 0 }
        #expect(sent.elements == [.accepted] && work.finished.elements == ["job"])
        #expect(await store.state.log == [] && store.statistics.lateActions == 1)
    }

    @Test("A run whose state goes back before its beginning never begins")
    func neverBegun() async throws {
        let (executor, begun) = (PatientExecutor(), Collector<Int>())
        let store = Workshop.store(configuration: StoreConfiguration(executor: executor))
        store.effect(on: \.job) { _ in .run { _ in begun.append(1) } }
        try await store.change { $0.job.run() }
        #expect(store.statistics.runningEffects == 1 && executor.waitingJobs == 1)
        try await store.change { $0.job.cancel() }
        executor.runAll()
        #expect(begun.elements == [] && store.statistics.runningEffects == 0)
        // Both in one batch: no change is visible.
        store.send(contentsOf: [.change { $0.job.run() }, .change { $0.job.cancel() }])
        #expect(executor.waitingJobs == 0)
        // And two runs in one batch are the second.
        store.send(contentsOf: [.change { $0.job.run() }, .change { $0.job.restart() }])
        executor.runAll()
        #expect(begun.elements == [1])
    }

    @Test("A restart is a new run, before which the first one is cancelled")
    func restarts() async throws {
        let (store, work) = (Workshop.store(), HeldWork())
        store.effect(on: \.job) { state in
            let name = "run \(state.job.runs)"
            return .run { _ in await work.run(name) }
        }
        try await store.change { $0.job.run() }
        await work.waitUntilBegun()
        try await store.change { $0.job.restart() }
        await work.waitUntilBegun(2)
        await work.waitUntilCancelled()
        #expect(work.begun.elements == ["run 1", "run 2"] && work.cancelled.elements == ["run 1"])
        await store.shutdown(drain: .cancelEffects)
    }

    @Test("A retry is a new run after its delay by the clock; leaving the running state meanwhile cancels it")
    func retries() async throws {
        let (store, clock, attempts) = (Workshop.store(), ManualClock(), Collector<Int?>())
        store.effect(on: \.job, clock: clock) { state in
            let attempt = state.job.currentAttempt
            return .run { _ in
                attempts.append(attempt)
                throw Broken()
            } catch: {
                .failed(EffectFailure($0))
            }
        }
        try await store.change { $0.job.run(maxAttempts: 3, delay: .seconds(1)) }
        for delay in [1, 2, 4] {
            await clock.waitForSleepers()
            // The failed attempt may still be ending.
            await until { store.statistics.runningEffects == 1 }
            clock.advance(by: .seconds(delay) - .nanoseconds(1))
            #expect(clock.sleepers == 1)
            clock.advance(by: .nanoseconds(1))
            await until { store.snapshot.log.count == attempts.elements.count && !attempts.elements.isEmpty }
        }
        await until { store.snapshot.job.isFailed }
        #expect(attempts.elements == [0, 1, 2] && store.snapshot.log == ["broken", "broken", "broken"])

        try await store.change { $0.job.run(delay: .seconds(1)) }
        await clock.waitForSleepers()
        try await store.change { $0.job.cancel() }
        await clock.waitForSleepers(0)
        await until { store.statistics.runningEffects == 0 }
        #expect(attempts.elements.count == 3)
    }

    @Test("An initially running state, such as a decoded one, begins its effect")
    func initial() async throws {
        var state = Workshop.State()
        state.job.run()
        let store = Workshop.store(state)
        store.effect(on: \.job) { _ in .run { context in context.send(.done("went on")) } }
        await until { store.snapshot.job.isSucceeded }
        #expect(store.snapshot.log == ["went on"])
    }

    @Test("A store whose whole state is an effect state drives its effect")
    func wholeState() async throws {
        let store = Store(initialState: EffectState<Never>()) { (state: inout EffectState<Never>, isDone: Bool) in
            if isDone { state.succeed() } else { state.run() }
        }
        store.effect(on: \.self) { _, context in context.send(true) }
        try await store.dispatch(false)
        await until { store.snapshot.isSucceeded }
    }

    @Test("Errors become actions, or reach store.errors with the place of the effect")
    func errors() async throws {
        let store = Workshop.store()
        let errors = store.errors
        store.effect(on: \.job) { _, _ in
            throw Broken()
        } catch: {
            .failed(EffectFailure($0))
        }
        store.effect(toggle: \.isOpen) { _, _ in throw Broken() }
        try await store.change { $0.job.run() }
        await until { store.snapshot.job.isFailed }
        try await store.change { $0.isOpen = true }
        let failure = try #require(try await errors.first(1).first)
        #expect(failure.error is Broken && "\(failure.origin)".contains("DrivenEffectTests.swift"))
    }

    @Test("A driven effect can be a reducer's effect, with its own identities")
    func plainEffects() async throws {
        let (store, work) = (Workshop.store(), HeldWork())
        store.effect(toggle: \.isOpen) { _ in
            .effect(
                .concatenate(.send(.log("one")), .run(id: "work") { _ in await work.run("two") }, .send(.log("three")))
            )
        }
        store.effect(toggle: \.isLit) { _ in .effect(.cancel(id: "work")) }
        try await store.change { $0.isOpen = true }
        await work.waitUntilBegun()
        try await store.change { $0.isLit = true }
        #expect(store.snapshot.log == ["one"])
        try await store.change { $0.isOpen = false }
        await until { store.statistics.runningEffects == 0 }
        #expect(work.cancelled.elements == ["two"] && store.snapshot.log == ["one"])
    }

    @Test("Tasks start after all observers were notified, and driven effects see the dependencies of the store")
    func orderInTheTurn() async throws {
        let executor = RecordingExecutor()
        let store = Store(
            initialState: Workshop.State(),
            reducer: Workshop(),
            configuration: StoreConfiguration(executor: executor)
        ) { values, _ in
            values.number = 42
        }
        store.effect(on: \.job) { _, context in context.send(.done("\(context.dependencies.number)")) }
        let seen = Collector<Int>()
        let observation = store.observe(\.job.isRunning) { if $0 { seen.append(executor.jobs.elements.count) } }
        try await store.change { $0.job.run() }
        await until { store.snapshot.job.isSucceeded }
        #expect(seen.elements == [0] && store.snapshot.log == ["42"])
        observation.cancel()
    }

    @Test("A dispatch that tracks feedback awaits and cancels its effects, also through the state")
    func feedback() async throws {
        let (store, work) = (Workshop.store(), HeldWork())
        store.effect(on: \.job) { _, context in
            try await context.dispatch(.log("ran"))
            try await context.dispatch(.done("done"))
        }
        try await store.dispatch(.change { $0.job.run() }, tracksFeedback: true).finish()
        #expect(store.snapshot.log == ["ran", "done"])
        store.effect(toggle: \.isOpen) { _ in .run { _ in await work.run("open") } }
        let task = try await store.dispatch(.change { $0.isOpen = true }, tracksFeedback: true)
        await work.waitUntilBegun()
        #expect(!task.isFinished)
        task.cancel()
        await work.waitUntilCancelled()
    }

    @Test("Driven effects can be configured in a chain at the creation of a store, which is returned")
    func chaining() async throws {
        let store = Workshop.store()
            .withEffects { store in
                store.effect(on: \.job) { _, context in context.send(.done("job")) }
                store.effect(toggle: \.isOpen) { _, context in context.send(.log("open")) }
            }
            .withEffects { $0.effect(onChange: \.sign) { _, new, context in context.send(.log(new)) } }
        try await store.change {
            $0.job.run(); $0.isOpen = true; $0.sign = "sign"
        }
        await until { store.snapshot.log.count == 3 }
        #expect(store.snapshot.log.sorted() == ["job", "open", "sign"])
    }

    @Test(
        "The running operation is always the one that the state requests, whatever happens to the state",
        arguments: 0..<10
    )
    func model(seed: UInt64) async throws {
        var random = SimulationGenerator(seed: seed)
        let executor = PatientExecutor()
        let (begun, ended) = (Collector<EffectAttempt>(), Collector<EffectAttempt>())
        let store = Workshop.store(configuration: StoreConfiguration(executor: executor))
        store.effect(on: \.job, clock: ManualClock()) { state in
            guard let attempt = state.job.attempt else { return .none }
            return .run { _ in
                begun.append(attempt)
                await untilCancelled()
                ended.append(attempt)
            }
        }
        for _ in 0..<200 {
            let choice = Int.random(in: 0..<6, using: &random)
            let change: @Sendable (inout Workshop.State) -> Void = { state in
                switch choice {
                case 0: state.job.run(maxAttempts: 3, backoff: .immediate)
                case 1: state.job.restart(maxAttempts: 3, backoff: .immediate)
                case 2: state.job.retryOrFail(with: EffectFailure(Broken()))
                case 3: state.job.cancel()
                case 4: state.sign += "x"
                default: state.job.reset()
                }
            }
            store.send(.change(change))
            if Bool.random(using: &random) { executor.runAll() }
        }
        executor.runAll()
        let running = begun.elements.filter { !ended.elements.contains($0) }
        #expect(running == (store.snapshot.job.attempt.map { [$0] } ?? []))
        #expect(Set(begun.elements).count == begun.elements.count)
        #expect(store.statistics.runningEffects == running.count)
        store.send(.change { $0.job.reset() })
        executor.runAll()
    }

    @Test("A detached effect continues after the state is no longer running, and its actions are reduced")
    func detached() async throws {
        let (store, work) = (Workshop.store(), HeldWork())
        store.effect(on: \.job) { _ in
            .effect(
                .run { send in
                    await work.run("job")
                    send(.log("went on"))
                }
                .detached()
            )
        }
        try await store.change { $0.job.run() }
        await work.waitUntilBegun()
        try await store.change { $0.job.cancel() }
        #expect(store.statistics.runningEffects == 1)
        work.finish("job")
        await until { store.statistics.runningEffects == 0 }
        #expect(work.finished.elements == ["job"] && store.statistics.lateActions == 0)
        #expect(await store.state.log == ["went on"])
    }

    @Test("A dispatch without feedback tracking does not wait for a driven effect, and does not cancel it")
    func withoutFeedback() async throws {
        let (store, work) = (Workshop.store(), HeldWork())
        store.effect(on: \.job) { _ in .run { _ in await work.run("job") } }
        let task = try await store.dispatch(.change { $0.job.run() })
        #expect(task.isFinished && store.statistics.runningEffects == 1)
        try await task.finish()
        task.cancel()
        await work.waitUntilBegun()
        work.finish("job")
        await until { store.statistics.runningEffects == 0 }
        #expect(work.finished.elements == ["job"])
    }

    @Test("The task of a driven effect has the given priority, or the store's")
    func priorities() async throws {
        let seen = Collector<TaskPriority?>()
        for priority in [.background, nil] as [TaskPriority?] {
            let store = Workshop.store(configuration: StoreConfiguration(priority: .utility))
            store.effect(on: \.job) { _ in .run(priority: priority) { _ in seen.append(Task.basePriority) } }
            store.send(.change { $0.job.run() })
            await until { store.statistics.runningEffects == 0 }
        }
        #expect(seen.elements == [.background, .utility])
    }
}
