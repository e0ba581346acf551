import Testing

@testable import ActorStore
@testable import TestFixtures

@Suite("Timeouts of effects and operations", .timeLimit(.minutes(10)))
struct EffectTimeoutTests {
    typealias Action = Ledger.Action

    struct Broken: Error, Equatable {}

    private let clock = ManualClock()
    private let store = Ledger.store()

    @Test("An operation is cancelled at its deadline, and the action of the timeout is sent")
    func timeout() async throws {
        let effect = Effect<Action>.run { send in
            send(.add(1))
            await untilCancelled()
        }.timeout(after: .seconds(5), clock: clock) { .write("too late") }
        let task = try await store.dispatch(.start(effect))
        await clock.waitForSleepers()
        clock.advance(by: .seconds(5))
        try await task.finish()
        #expect(await store.state == Ledger.State(total: 1, note: "too late"))
    }

    /// A clock whose sleeps call a closure at their deadline.
    private struct HookedClock: Clock {
        let hook: @Sendable () async -> Void
        var now: ContinuousClock.Instant { ContinuousClock().now }
        var minimumResolution: Duration { .zero }

        func sleep(until deadline: ContinuousClock.Instant, tolerance: Duration?) async throws { await hook() }
    }

    @Test("The deadline of an operation that was just cancelled requests nothing")
    func cancelledAtDeadline() async throws {
        let store = store
        let (hasBegun, isAsked) = (Latch(), Collector<Bool>())
        let clock = HookedClock {
            // The operation has its identity after the action has been reduced.
            await hasBegun.wait()
            store.send(.start(.cancel(id: "work")))
        }
        let effect = Effect<Action>.run { _ in await untilCancelled() }
            .timeout(after: .seconds(5), clock: clock) {
                isAsked.append(true)
                return .write("too late")
            }
            .cancellable(id: "work")
        let task = try await store.dispatch(.start(effect))
        hasBegun.open()
        try await task.finish()
        #expect(isAsked.elements.isEmpty && store.snapshot.note.isEmpty)
    }

    @Test("An operation that ends in time is not affected by its deadline, and does not wait for it")
    func inTime() async throws {
        let effect = Effect<Action>.task { .add(1) }.timeout(after: .seconds(5), clock: clock) { .write("too late") }
        try await store.dispatch(.start(effect)).finish()
        #expect(await store.state == Ledger.State(total: 1))
        let failing = Effect<Action>.fail(Broken()).timeout(after: .seconds(5), clock: clock) { .write("too late") }
        let task = try await store.dispatch(.start(failing))
        await #expect(throws: Broken.self) { try await task.finish() }
        #expect(try await store.errors.first(1).first?.error is Broken)
        #expect(store.snapshot.note == "" && clock.sleepers == 0)
    }

    @Test("A deadline takes effect although the operation ignores it: later actions are dropped and counted")
    func stubbornWork() async throws {
        let began = Signal()
        let goOn = Signal()
        let outcomes = Collector<SendOutcome>()
        let effect = Effect<Action>.run { send in
            outcomes.append(send(.add(1)))
            began.fire()
            await goOn.waitStubbornly()
            outcomes.append(send(.add(100)))
            throw Broken()
        }.timeout(after: .seconds(5), clock: clock) { .write("too late") }
        let task = try await store.dispatch(.start(effect))
        await began.wait()
        await clock.waitForSleepers()
        clock.advance(by: .seconds(5))
        // The store has the action, while the operation runs and counts as running.
        await until { !store.snapshot.note.isEmpty }
        #expect(!task.isFinished && store.statistics.runningEffects == 1)
        goOn.fire()
        try await task.finish()
        #expect(outcomes.elements == [.accepted, .dropped])
        #expect(store.snapshot.total == 1)
        #expect(store.statistics.lateActions == 1)
    }

    @Test("A task that delivers its result delivers the missed deadline, unless the timeout has an action")
    func timedOutResult() async throws {
        let results = Collector<String>()
        let effect = Effect<Action>.task {
            await untilCancelled()
            try Task.checkCancellation()
            return 7
        } then: { result in
            results.append("\(result)")
            return .add(1)
        }
        let effects = [
            effect.timeout(after: .seconds(5), clock: clock),
            effect.timeout(after: .seconds(5), clock: clock) { .write("too late") },
        ]
        for effect in effects {
            let task = try await store.dispatch(.start(effect))
            await clock.waitForSleepers()
            clock.advance(by: .seconds(5))
            try await task.finish()
        }
        #expect(results.elements == ["failure(\(TimedOut(after: .seconds(5))))"])
        #expect(await store.state == Ledger.State(total: 1, note: "too late"))
    }

    @Test("An operation without an action for the timeout fails with TimedOut at its deadline")
    func timedOut() async throws {
        func effect() -> Effect<Action> {
            .run { _ in await untilCancelled() }.timeout(after: .seconds(5), clock: clock)
        }
        let caught = try await store.dispatch(.start(effect().catch { .write("\($0)") }))
        await clock.waitForSleepers()
        clock.advance(by: .seconds(5))
        try await caught.finish()
        #expect(await store.state.note == "The work did not end within 5.0 seconds.")
        let task = try await store.dispatch(.start(effect()))
        await clock.waitForSleepers()
        clock.advance(by: .seconds(5))
        await #expect(throws: TimedOut(after: .seconds(5))) { try await task.finish() }
        #expect(try await store.errors.first(1).first?.error is TimedOut)
    }

    @Test("Each operation has its own deadline, from its beginning; deadlines nest")
    func composed() async throws {
        let step = Effect<Action>.run { _ in await untilCancelled() }
        let effect = Effect<Action>.concatenate(step, step.timeout(after: .seconds(1), clock: clock))
            .timeout(after: .seconds(5), clock: clock) { .add(1) }
        let task = try await store.dispatch(.start(effect))
        await clock.waitForSleepers()
        clock.advance(by: .seconds(5))
        // The second one, whose inner deadline comes first.
        await clock.waitForSleepers(2)
        clock.advance(by: .seconds(1))
        await #expect(throws: TimedOut(after: .seconds(1))) { try await task.finish() }
        #expect(try await store.errors.first(1).first?.error is TimedOut)
        #expect(await store.state.total == 1)
    }

    @Test("A cancelled operation with a deadline ends at once, and its timeout is not sent")
    func cancelled() async throws {
        let effect = Effect<Action>.run(id: 1) { _ in await untilCancelled() }
            .timeout(after: .seconds(5), clock: clock) { .write("too late") }
        let task = try await store.dispatch(.start(effect))
        await clock.waitForSleepers()
        try await store.dispatch(.start(.cancel(id: 1)))
        try await task.finish()
        #expect(clock.sleepers == 0)
        #expect(await store.state.note == "")
    }

    @Test("An operation with a deadline belongs to its effect: a shutdown from within does not wait for itself")
    func shutdownFromWithin() async throws {
        let store = store
        let effect = Effect<Action>.run { [weak store] _ in await store?.shutdown(drain: .finishEffects) }
            .timeout(after: .seconds(5), clock: clock)
        try await store.dispatch(.start(effect)).finish()
    }

    @Test("Either the operation or its deadline comes first, and actions past the gate have passed before it shuts")
    func gate() async {
        var machine = DeadlineGateMachine()
        let first = machine.enter()
        let second = machine.enter()
        #expect(first && second)
        let isExpired = machine.expire()
        let isStale = !machine.end()
        let isShut = !machine.enter()
        #expect(isExpired && isStale && isShut)
        let mustWait = machine.awaitLeaving()
        let isLast = machine.leave()
        let wakes = machine.leave()
        #expect(mustWait && !isLast && wakes)

        var met = DeadlineGateMachine()
        let isInTime = met.end()
        let expiresTooLate = met.expire()
        // The store handles what comes after the end.
        let passes = met.enter()
        #expect(isInTime && !expiresTooLate && passes)
        #expect(!met.leave() && !met.awaitLeaving())
    }

    @Test("No action of many sends that race with their deadline is reduced after the action of the timeout")
    func races() async throws {
        for round in 0..<200 {
            let store = Ledger.store()
            let clock = ManualClock()
            let effect = Effect<Action>.run { send in
                await withTaskGroup(of: Void.self) { group in
                    for sender in 1...2 {
                        group.addTask { while send(.enter(sender, round)) == .accepted { await Task.yield() } }
                    }
                }
            }.timeout(after: .seconds(1), clock: clock) { .enter(0, round) }
            let task = try await store.dispatch(.start(effect))
            await clock.waitForSleepers()
            clock.advance(by: .seconds(1))
            try await task.finish()
            let senders = await store.state.entries.map(\.sender)
            #expect(senders.last == 0 && senders.dropLast().allSatisfy { $0 > 0 })
        }
    }

    @Test("withTimeout returns a value that is in time, throws TimedOut otherwise, and rethrows errors")
    func operations() async throws {
        let clock = clock
        #expect(try await withTimeout(.seconds(5), clock: clock) { 7 } == 7)
        await #expect(throws: Broken.self) { try await withTimeout(.seconds(5), clock: clock) { throw Broken() } }
        let late = Task {
            try await withTimeout(.seconds(5), clock: clock) {
                await untilCancelled()
                return 7
            }
        }
        await clock.waitForSleepers()
        clock.advance(by: .seconds(5))
        await #expect(throws: TimedOut(after: .seconds(5))) { try await late.value }
        #expect(clock.sleepers == 0)
    }

    /// Expires the time of a begun operation.
    private func passDeadline(ofWorkThat hasBegun: Signal) async {
        await hasBegun.wait()
        await clock.waitForSleepers()
        clock.advance(by: .seconds(5))
    }

    @Test("A deadline takes effect although the operation blocks the only thread of its executor")
    func blockedExecutor() async throws {
        let (executor, blockade, begun) = (OneThreadExecutor(), Blockade(), Signal())
        let preferences = Collector<Bool>()
        let effect = Effect<Action>.run { send in
            preferences.append(executor.isPreferred)
            begun.fire()
            blockade.block()
            send(.add(100))
        }.on(executor).timeout(after: .seconds(5), clock: clock) { .write("too late") }
        let task = try await store.dispatch(.start(effect))
        await passDeadline(ofWorkThat: begun)
        await until { !store.snapshot.note.isEmpty || task.isFinished }
        #expect(store.snapshot.note == "too late" && !task.isFinished)
        blockade.release()
        try await task.finish()
        #expect(store.snapshot.total == 0)
        #expect(preferences.elements == [true])
    }

    @Test("An operation that blocks the only thread of its executor is cancelled at its deadline")
    func blockedUntilCancelled() async throws {
        let (executor, blockade, begun) = (OneThreadExecutor(), Blockade(), Signal())
        let released = Collector<Bool>()
        let work = Effect<Action>.run { _ in
            begun.fire()
            released.append(await blockade.blockUntilCancelled())
        }.on(executor)
        let effect = work.timeout(after: .seconds(5), clock: clock) { .write("late") }
        let task = try await store.dispatch(.start(effect))
        await passDeadline(ofWorkThat: begun)
        try await task.finish()
        #expect(released.elements == [true])
        #expect(store.snapshot.note == "late")
    }

    @Test("withTimeout cancels an operation that blocks the only thread of its executor")
    func blockedOperation() async {
        let (clock, executor, blockade, begun) = (clock, OneThreadExecutor(), Blockade(), Signal())
        let seen = Collector<Bool>()
        let task = Task(executorPreference: executor) {
            try await withTimeout(.seconds(5), clock: clock) {
                seen.append(executor.isPreferred)
                begun.fire()
                seen.append(await blockade.blockUntilCancelled())
            }
        }
        await passDeadline(ofWorkThat: begun)
        await #expect(throws: TimedOut(after: .seconds(5))) { try await task.value }
        #expect(seen.elements == [true, true])
    }

    @Test("withTimeout passes the cancellation of its task on to the operation")
    func cancelledOperations() async throws {
        let clock = clock
        let task = Task {
            try await withTimeout(.seconds(5), clock: clock) {
                await untilCancelled()
                try Task.checkCancellation()
            }
        }
        await clock.waitForSleepers()
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.value }
        #expect(clock.sleepers == 0)
    }
}

extension Signal {
    /// Waits for an event, and ignores a cancellation.
    fileprivate func waitStubbornly() async {
        await Task.detached { await self.wait() }.value
    }
}
