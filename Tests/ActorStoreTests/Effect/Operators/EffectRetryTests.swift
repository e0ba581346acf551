import ActorStore
import ActorStoreSimulation
import ActorStoreTesting
import Testing

@testable import TestFixtures

@Suite("Retries", .timeLimit(.minutes(10)))
struct EffectRetryTests {
    typealias Action = Ledger.Action

    struct Broken: Error, Equatable { let attempt: Int }

    private let clock = ManualClock()
    private let store = Ledger.store()

    /// Fails a given number of times, and records each attempt.
    private func failing(_ times: Int, _ attempts: Collector<Int>, id: String? = nil) -> Effect<Action> {
        .task(id: id) {
            let attempt = attempts.elements.count + 1
            attempts.append(attempt)
            if attempt <= times { throw Broken(attempt: attempt) }
            return .add(attempt)
        }
    }

    @Test("A failed operation is retried after each wait of the policy, until it succeeds")
    func succeeds() async throws {
        let attempts = Collector<Int>()
        let policy = RetryPolicy(maxAttempts: 5, backoff: .exponential(base: .seconds(2)))
        let task = try await store.dispatch(.start(failing(3, attempts).retry(policy, clock: clock)))
        for (number, wait) in [2, 4, 8].enumerated() {
            await clock.waitForSleepers()
            #expect(attempts.elements.count == number + 1)
            clock.advance(by: .seconds(wait) - .milliseconds(1))
            #expect(clock.sleepers == 1)
            clock.advance(by: .milliseconds(1))
        }
        try await task.finish()
        #expect(attempts.elements == [1, 2, 3, 4])
        #expect(await store.state.total == 4)
    }

    @Test("A task that delivers its result delivers the result of the last attempt")
    func results() async throws {
        let expected: [(failures: Int, result: Result<Int, any Error>)] = [
            (2, .success(3)), (9, .failure(Broken(attempt: 3))),
        ]
        for (failures, last) in expected {
            let attempts = Collector<Int>()
            let effect = Effect<Action>.task {
                let attempt = attempts.elements.count + 1
                attempts.append(attempt)
                if attempt <= failures { throw Broken(attempt: attempt) }
                return attempt
            } then: { result in
                .write("\(result)")
            }
            let policy = RetryPolicy(maxAttempts: 3)
            try await store.dispatch(.start(effect.retry(policy, clock: clock))).finish()
            #expect(attempts.elements == [1, 2, 3])
            #expect(await store.state.note == "\(last)")
        }
    }

    @Test("The last error is reported as an unhandled error after the last attempt")
    func fails() async throws {
        let policy = RetryPolicy(maxAttempts: 3)
        let attempts = Collector<Int>()
        let errors = store.errors
        let task = try await store.dispatch(.start(failing(9, attempts).retry(policy, clock: clock)))
        await #expect(throws: Broken(attempt: 3)) { try await task.finish() }
        #expect(attempts.elements == [1, 2, 3])
        #expect(try await errors.first(1).map { $0.error as? Broken } == [Broken(attempt: 3)])
        let caught = failing(9, Collector()).retry(policy, clock: clock).catch { .write("\($0)") }
        try await store.dispatch(.start(caught)).finish()
        #expect(await store.state.note == "Broken(attempt: 3)")
    }

    @Test("Only requested errors are retried, and cancellations never are")
    func chosenErrors() async throws {
        let policy = RetryPolicy(maxAttempts: 5)
        let attempts = Collector<Int>()
        let chosen = failing(9, attempts).retry(policy, clock: clock) { ($0 as? Broken)?.attempt != 2 }
        await #expect(throws: Broken(attempt: 2)) { try await store.dispatch(.start(chosen)).finish() }
        #expect(attempts.elements == [1, 2])
        #expect(try await store.errors.first(1).map { $0.error as? Broken } == [Broken(attempt: 2)])
        let cancellations = Collector<Void>()
        await #expect(throws: CancellationError.self) {
            try await retry(policy, clock: clock) { _ in
                cancellations.append(())
                throw CancellationError()
            }
        }
        #expect(cancellations.elements.count == 1)
    }

    @Test("An operation cancelled while it waits for the next attempt ends at once")
    func cancelledWait() async throws {
        let attempts = Collector<Int>()
        let policy = RetryPolicy(maxAttempts: 5, backoff: .constant(.seconds(60)))
        let errors = store.errors
        let effect = failing(9, attempts, id: "load").retry(policy, clock: clock)
        let task = try await store.dispatch(.start(effect))
        await clock.waitForSleepers()
        try await store.dispatch(.start(.cancel(id: "load")))
        try await task.finish()
        #expect(attempts.elements == [1] && clock.sleepers == 0)
        await store.shutdown(drain: .finishEffects)
        #expect(try await errors.all().isEmpty)
    }

    @Test("A cancelled operation is not retried, whatever it throws")
    func cancelledAttempt() async throws {
        let attempts = Collector<Void>()
        let began = Signal()
        let effect = Effect<Action>.run(id: 1) { _ in
            attempts.append(())
            began.fire()
            await untilCancelled()
            throw Broken(attempt: 1)
        }.retry(RetryPolicy(maxAttempts: 5), clock: clock)
        let task = try await store.dispatch(.start(effect))
        await began.wait()
        try await store.dispatch(.start(.cancel(id: 1)))
        try await task.finish()
        #expect(attempts.elements.count == 1)
    }

    @Test(
        "Any cancellation error prevents a retry",
        arguments: [CancellationError(), StoreError.cancelled, WaitError.cancelled] as [any Error & Sendable]
    )
    func cancellationErrors(error: any Error & Sendable) async {
        let attempts = Collector<Void>()
        await #expect(throws: (any Error).self) {
            try await retry(RetryPolicy(maxAttempts: 3), clock: clock) { _ in
                attempts.append(())
                throw error
            }
        }
        #expect(attempts.elements.count == 1)
    }

    @Test("A cancelled operation is not retried, although its task is cancelled a little later")
    func cancelledBeforeItsTask() {
        let executor = ManualExecutor()
        let store = Ledger.store(configuration: StoreConfiguration(executor: executor))
        let (gate, attempts, retried) = (Latch(), Collector<Bool>(), Collector<String>())
        let effect = Effect<Action>.run(id: 1) { _ in
            await gate.wait()
            attempts.append(Task.isCancelled)
            throw Broken(attempt: 1)
        }
        let policy = RetryPolicy(maxAttempts: 3)
        store.send(.start(effect.retry(policy, clock: clock) { retried.append("\($0)") == () }))
        executor.runUntilIdle()
        // The executor runs jobs in order of arrival: first the operation, and then the cancellation of its task.
        gate.open()
        store.send(.start(.cancel(id: 1)))
        executor.runUntilIdle()
        #expect(attempts.elements == [false])
        #expect(retried.elements.isEmpty)
    }

    @Test("An operation that has shut its own store down is not retried")
    func shutDownByItself() async throws {
        let attempts = Collector<Void>()
        let effect = Effect<Action>.run { [store] send in
            attempts.append(())
            await store.shutdown(drain: .cancelEffects)
            try await send.waitingForRoom(.add(1))
        }
        let task = try await store.dispatch(.start(effect.retry(RetryPolicy(maxAttempts: 3), clock: clock)))
        await #expect(throws: StoreError.self) { try await task.finish() }
        #expect(attempts.elements.count == 1)
        #expect(try await store.errors.all().count == 1)
    }

    @Test("The body of a retry can read the attempt's number, the number of attempts, and the last error")
    func attempts() async throws {
        let seen = Collector<String>()
        @Sendable func note(_ attempt: RetryAttempt?) throws {
            guard let attempt else { return seen.append("none") }
            let error = attempt.previousError.map { "\($0)" } ?? "-"
            seen.append("\(attempt.number) \(attempt.number == attempt.maxAttempts) \(error)")
            throw Broken(attempt: attempt.number)
        }
        let effect = Effect<Action>.run { _ in
            try note(.current)
        } catch: { _ in
            try? note(.current)
            return nil
        }
        try await store.dispatch(.start(effect.retry(RetryPolicy(maxAttempts: 3), clock: clock))).finish()
        let expected = [
            "1 false -",
            "2 false Broken(attempt: 1)",
            "3 true Broken(attempt: 2)",
            "none",
        ]
        #expect(seen.elements == expected)
    }

    @Test("A timeout before a retry applies to each attempt, a timeout after it to all together")
    func timeouts() async throws {
        let attempts = Collector<Int?>()
        let work = Effect<Action>.run { _ in
            attempts.append(RetryAttempt.current?.number)
            await untilCancelled()
        }
        let policy = RetryPolicy(maxAttempts: 2)
        let each = try await store.dispatch(
            .start(work.timeout(after: .seconds(5), clock: clock).retry(policy, clock: clock))
        )
        for attempt in 1...2 {
            // Both, because the operation is cancelled before its beginning if the time is over before that.
            await clock.waitForSleeper(until: .seconds(5 * attempt))
            await until { attempts.elements.count == attempt }
            clock.advance(by: .seconds(5))
        }
        await #expect(throws: TimedOut(after: .seconds(5))) { try await each.finish() }
        #expect(try await store.errors.first(1).first?.error is TimedOut)
        #expect(attempts.elements == [1, 2])
        let all = try await store.dispatch(
            .start(
                Effect.fail(Broken(attempt: 0))
                    .retry(RetryPolicy(maxAttempts: .max, backoff: .constant(.seconds(1))), clock: clock)
                    .timeout(after: .milliseconds(2_500), clock: clock) { .write("gave up") }
            )
        )
        await clock.waitForSleepers(2)
        for step in [1_000, 1_000, 500] {
            await clock.waitForSleepers(2)
            clock.advance(by: .milliseconds(step))
        }
        try await all.finish()
        #expect(await store.state.note == "gave up")
    }

    @Test("Actions sent by a failed attempt stay sent, and a retried composed effect retries each operation by itself")
    func composed() async throws {
        func work(_ sender: Int) -> Effect<Action> {
            .run { send in
                let attempt = RetryAttempt.current?.number ?? 0
                send(.enter(sender, attempt))
                if attempt < sender { throw Broken(attempt: attempt) }
            }
        }
        let effect = Effect.concatenate(work(1), .send(.add(10)), work(3), work(2))
        try await store.dispatch(.start(effect.retry(RetryPolicy(maxAttempts: 3), clock: clock))).finish()
        let entries = await store.state.entries
        #expect(entries.map(\.sender) == [1, 3, 3, 3, 2, 2])
        #expect(entries.map(\.number) == [1, 1, 2, 3, 1, 2])
        #expect(await store.state.total == 16)
    }

    @Test("The waits of a retry with a seed are deterministic")
    func seeded() async throws {
        let policy = RetryPolicy(maxAttempts: 4, backoff: .constant(.seconds(100)), jitter: .full)
        var generator = SimulationGenerator(seed: 3)
        let expected = (1...3).compactMap { policy.wait(afterAttempt: $0, using: &generator) }
        for _ in 0..<2 {
            let start = clock.now
            let effect = failing(3, Collector()).retry(policy, clock: clock, random: SimulationGenerator(seed: 3))
            let task = try await store.dispatch(.start(effect))
            for wait in expected {
                await clock.waitForSleeper(until: clock.now.offset + wait)
                clock.advance(by: wait)
            }
            try await task.finish()
            #expect(start.duration(to: clock.now) == expected.reduce(.zero, +))
        }
    }

    @Test("An operation can be retried by itself, isolated to its caller, and may return a value that is not Sendable")
    @MainActor
    func operations() async throws {
        final class Box { var number = 0 }
        let box = Box()
        let result = try await retry(RetryPolicy(maxAttempts: 3), clock: clock) { attempt in
            MainActor.assertIsolated()
            box.number += 1
            if attempt.number < 3 { throw Broken(attempt: attempt.number) }
            return box
        }
        #expect(result.number == 3)
    }

    @Test("A retried operation stays on the caller's actor without capturing it")
    func isolation() async throws {
        final class Box { var number = 0 }
        actor Desk {
            let box = Box()
            func load() async throws -> Int {
                let (box, desk) = (box, self as any Actor)
                let policy = RetryPolicy(maxAttempts: 3, backoff: .constant(.zero))
                return try await retry(policy) { attempt in
                    desk.assertIsolated()
                    box.number += 1
                    await Task.yield()
                    desk.assertIsolated()
                    if attempt.number < 3 { throw Broken(attempt: attempt.number) }
                    return box.number
                }
            }
        }
        #expect(try await Desk().load() == 3)
    }
}
