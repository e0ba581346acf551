import ActorStore
import ActorStoreComposition
import Testing

@testable import ActorStoreTesting

@Suite("Test clocks", .timeLimit(.minutes(10)))
struct TestClockTests {
    /// Runs an operation on an executor registered with the clock, and records its output.
    private func run(
        _ work: @escaping @Sendable (_ clock: TestClock, _ log: Recorder<String>) async throws -> Void
    ) -> (clock: TestClock, log: Recorder<String>, executor: ManualExecutor, task: Task<Void, any Error>) {
        let (clock, executor) = (TestClock(), ManualExecutor())
        let log = Recorder<String>(running: executor)
        let task = Task(executorPreference: executor) { try await work(clock, log) }
        executor.runUntilIdle()
        return (clock, log, executor, task)
    }

    @Test("A task that sleeps repeatedly within a step wakes as often as time passes")
    func timer() async {
        let (clock, log, executor, task) = run { clock, log in
            while true {
                try await clock.sleep(for: .seconds(2))
                log.record("\(clock.now.offset)")
            }
        }
        await clock.advance(by: .seconds(1))
        #expect(log.elements == [])
        await clock.advance(by: .seconds(6))
        #expect(log.elements == ["2.0 seconds", "4.0 seconds", "6.0 seconds"])
        #expect(clock.now.offset == .seconds(7))
        task.cancel()
        executor.runUntilIdle()
        #expect(clock.sleeping == 0)
    }

    @Test("Sleepers wake by deadline, and with equal deadlines in the order of arrival")
    func order() async throws {
        let (clock, log, _, task) = run { clock, log in
            await withTaskGroup(of: Void.self) { group in
                for (name, seconds) in [("c", 3), ("a", 1), ("b", 3), ("d", 2)] {
                    group.addTask {
                        try? await clock.sleep(for: .seconds(seconds))
                        log.record(name)
                    }
                }
            }
        }
        #expect(clock.sleeping == 4)
        await clock.advance(by: .seconds(3))
        #expect(log.elements == ["a", "d", "c", "b"])
        try await task.value
    }

    @Test("An operation that sleeps again for the rest of the step wakes within the step")
    func chains() async {
        let (clock, log, _, _) = run { clock, log in
            try await clock.sleep(for: .seconds(1))
            log.record("one")
            async let other: Void = clock.sleep(for: .seconds(1))
            try await other
            log.record("two")
        }
        await clock.advance(to: clock.now.advanced(by: .seconds(2)))
        #expect(log.elements == ["one", "two"])
        await clock.advance(to: TestClock.Instant(offset: .zero))
        #expect(clock.now.offset == .seconds(2))
    }

    @Test("A cancelled sleep throws at once, also if it was cancelled before")
    func cancellation() async throws {
        let (_, log, executor, task) = run { clock, log in
            do { try await clock.sleep(for: .seconds(1)) } catch { log.record("\(type(of: error))") }
            do { try await clock.sleep(for: .seconds(1)) } catch { log.record("\(type(of: error))") }
        }
        task.cancel()
        executor.runUntilIdle()
        #expect(log.elements == ["CancellationError", "CancellationError"])
        try await task.value
    }

    @Test("run moves the clock until no task sleeps, and fails the test if one always does")
    func runToTheEnd() async {
        let (clock, log, _, _) = run { clock, log in
            try await clock.sleep(for: .seconds(60))
            try await clock.sleep(for: .seconds(3_600))
            log.record("done")
        }
        await clock.run()
        #expect(log.elements == ["done"])
        #expect(clock.now.offset == .seconds(3_660))
        let (endless, _, executor, task) = run { clock, _ in while true { try await clock.sleep(for: .seconds(1)) } }
        let issues = await failures { await endless.run(limit: 5) }
        #expect(
            issues.map(\.message) == [
                "After 5 deadlines a task still sleeps on the clock. Is there an endless timer?"
            ]
        )
        task.cancel()
        executor.runUntilIdle()
    }

    @Test("A test can wait for a sleeper on another executor, and fails if none comes")
    func untilSleeping() async throws {
        let clock = TestClock()
        let log = Recorder<String>()
        let task = Task.detached {
            try await clock.sleep(for: .seconds(1))
            log.record("woken")
        }
        await clock.untilSleeping(timeout: .seconds(60))
        await clock.advance(by: .seconds(1))
        #expect(try await log.next(timeout: .seconds(60)) == "woken")
        try await task.value
        let issues = await failures { await clock.untilSleeping(2, timeout: .zero) }
        #expect(issues.map(\.message) == ["0 tasks sleep on the clock, but 2 were expected."])
    }

    /// Runs a closure on its own executor.
    private actor Network {
        private let executor = LateExecutor()
        nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }
        func load() -> Int { 1 }
    }

    private final class LateExecutor: SerialExecutor {
        func enqueue(_ job: consuming ExecutorJob) {
            let (job, executor) = (UnownedJob(job), asUnownedSerialExecutor())
            Task.detached {
                try await Task.sleep(for: .milliseconds(5))
                job.runSynchronously(on: executor)
            }
        }
    }

    @Test("Effects that leave a test store's executor, return and sleep are awaited by running the executor")
    func untilSleepingAgain() async {
        let (clock, network) = (TestClock(), Network())
        let store = TestStore(
            initialState: 0,
            reducer: Reduce<Int, Int> { count, step in
                count += step
                guard step == 1 else { return .none }
                return .run { send in
                    let more = await network.load()
                    try await clock.sleep(for: .seconds(1))
                    send(10 * more)
                }
            }
        )
        store.timeout = .seconds(60)
        for _ in 1...2 {
            await store.dispatch(1) { $0 += 1 }
            await clock.untilSleeping(running: store.executor, timeout: .seconds(60))
            await clock.advance(by: .seconds(1))
            await store.receive(10) { $0 += 10 }
        }
        await store.finish()
    }

    @Test("A sleep elsewhere ends the wait of a test that runs an executor meanwhile")
    func untilSleepingElsewhere() async throws {
        let (clock, executor) = (TestClock(), ManualExecutor())
        let task = Task.detached {
            try await Task.sleep(for: .milliseconds(5))
            try await clock.sleep(for: .seconds(1))
        }
        await clock.untilSleeping(running: executor, timeout: .seconds(60))
        await clock.advance(by: .seconds(1))
        try await task.value
    }

    @Test("A stopped clock does not end a sleep; a sleep past its deadline ends at once")
    func deadlines() async throws {
        let clock = TestClock()
        await clock.advance(by: .seconds(5))
        try await clock.sleep(until: TestClock.Instant(offset: .seconds(5)))
        try await clock.sleep(until: TestClock.Instant(offset: .seconds(1)))
        #expect(clock.sleeping == 0)
        #expect(clock.minimumResolution == .zero)
    }

    @Test("The clock does not move until all executors are idle, also when one has jobs for an earlier one")
    func twoExecutors() async throws {
        let clock = TestClock()
        let log = Recorder<String>()
        let (stream, orders) = AsyncStream<String>.makeStream()
        let (first, second) = (ManualExecutor(), ManualExecutor())
        let worker = Task(executorPreference: first) {
            // This executor is registered with the clock before the other one.
            try await clock.sleep(for: .seconds(1))
            for await order in stream {
                try await clock.sleep(for: .seconds(1))
                log.record("\(order) at \(clock.now.offset)")
            }
        }
        first.runUntilIdle()
        let customer = Task(executorPreference: second) {
            try await clock.sleep(for: .seconds(2))
            orders.yield("tea")
            orders.finish()
        }
        second.runUntilIdle()
        await clock.advance(by: .seconds(60))
        #expect(log.elements == ["tea at 3.0 seconds"])
        #expect(clock.sleeping == 0)
        for task in [worker, customer] { task.cancel() }
        for executor in [first, second] { executor.runUntilIdle() }
    }

    @Test("Executors with endless jobs for each other fail the test")
    func endlessWork() async {
        let clock = TestClock(mostJobs: 1_000)
        let (first, second) = (ManualExecutor(), ManualExecutor())
        let (there, back) = (AsyncStream<Void>.makeStream(), AsyncStream<Void>.makeStream())
        let tasks = [
            Task(executorPreference: first) {
                try? await clock.sleep(for: .seconds(1))
                for await _ in there.stream { back.continuation.yield() }
                back.continuation.finish()
            },
            Task(executorPreference: second) {
                try? await clock.sleep(for: .seconds(1))
                for await _ in back.stream { there.continuation.yield() }
            },
        ]
        first.runUntilIdle()
        second.runUntilIdle()
        there.continuation.yield()
        let issues = await failures { await clock.advance(by: .seconds(1)) }
        #expect(issues.count == 1)
        #expect(issues.first?.message.contains("executors still create work for each other") == true)
        there.continuation.finish()
        await clock.advance(by: .zero)
        for task in tasks { await task.value }
    }

    @Test("An immediate clock ends every sleep at once and counts the time, but throws in a cancelled task")
    func immediate() async throws {
        let clock = ImmediateClock()
        try await clock.sleep(for: .seconds(3_600))
        #expect(clock.now.offset == .seconds(3_600))
        let task = Task {
            withUnsafeCurrentTask { $0?.cancel() }
            try await clock.sleep(for: .seconds(1))
        }
        await #expect(throws: CancellationError.self) { try await task.value }
    }

    @Test("An unimplemented clock reports each use")
    func unimplemented() async {
        let clock = UnimplementedClock("Shop.clock")
        let issues = await failures {
            _ = clock.now
            try? await clock.sleep(until: clock.now)
        }
        #expect(
            issues.map(\.message) == [
                "Shop.clock.now was called, and is not implemented.",
                "Shop.clock.now was called, and is not implemented.",
                "Shop.clock.sleep was called, and is not implemented.",
            ]
        )
        #expect(issues.allSatisfy { $0.location.fileID == #fileID })
    }

    @Test("A clock moved by several tasks to a time stops at it, and does not go back")
    func movedByMany() async {
        for _ in 0..<200 {
            let clock = TestClock()
            await withTaskGroup(of: Void.self) { group in
                for _ in 0..<4 {
                    group.addTask { await clock.advance(to: TestClock.Instant(offset: .seconds(10))) }
                }
            }
            #expect(clock.now.offset == .seconds(10))
            await clock.advance(to: TestClock.Instant(offset: .seconds(3)))
            #expect(clock.now.offset == .seconds(10))
        }
    }
}
