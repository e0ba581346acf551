import ActorStore
import Testing

@testable import ActorStoreTesting
@testable import TestFixtures

@Suite("Manual executors", .timeLimit(.minutes(10)))
struct ManualExecutorTests {
    private actor Notebook {
        func note(_ text: String, in log: Recorder<String>) { log.record(text) }
    }

    @Test("Jobs run on request, in order, with all follow-up jobs, on the requesting thread")
    func jobs() async {
        let executor = ManualExecutor()
        let log = Recorder<String>()
        let notebook = Notebook()
        let tasks = (1...3).map { number in
            Task(executorPreference: executor) {
                log.record("\(number) begins")
                await notebook.note("\(number) goes on", in: log)
                async let child: Void = notebook.note("\(number)'s child", in: log)
                await child
            }
        }
        #expect(executor.waitingJobs == 3)
        #expect(log.elements == [])
        #expect(executor.runUntilIdle() >= 3)
        #expect(log.elements.filter { $0.hasSuffix("begins") } == ["1 begins", "2 begins", "3 begins"])
        #expect(log.elements.count == 9)
        #expect(executor.runUntilIdle() == 0)
        for task in tasks { await task.value }
    }

    @Test("Creating many executors, and test stores with them, takes time linear in their number")
    func cost() async throws {
        try await expectLinear { count in
            { withExtendedLifetime((0..<count).map { _ in ManualExecutor() }) {} }
        }
    }

    @Test("Equal programs have equal histories")
    func determinism() {
        func history() -> [String] {
            let executor = ManualExecutor()
            let log = Recorder<String>()
            for number in 1...5 {
                Task(executorPreference: executor) {
                    await withTaskGroup(of: Void.self) { group in
                        for child in 1...3 {
                            group.addTask {
                                log.record("\(number).\(child)")
                                await Task.yield()
                                log.record("\(number).\(child)'")
                            }
                        }
                    }
                }
            }
            executor.runUntilIdle()
            return log.elements
        }
        let first = history()
        #expect(first.count == 30)
        for _ in 1...20 { #expect(history() == first) }
    }

    @Test("A store's effects wait for the manual executor, and running it from within a job does nothing")
    func effects() async {
        let executor = ManualExecutor()
        let nested = Recorder<Int>()
        let store = Store(
            initialState: 0,
            reducer: Reduce<Int, Int> { state, number in
                state += number
                guard number == 1 else { return .none }
                return .run { send in
                    nested.record(executor.runUntilIdle())
                    send(10)
                }
            },
            configuration: StoreConfiguration(executor: executor)
        )
        store.send(1)
        #expect(store.snapshot == 1)
        executor.runUntilIdle()
        #expect(store.snapshot == 11)
        #expect(nested.elements == [0])
    }

    @Test("Endless jobs fail the test instead of hanging it")
    func limit() async {
        let executor = ManualExecutor()
        let task = Task(executorPreference: executor) { while !Task.isCancelled { await Task.yield() } }
        let issues = await failures { executor.runUntilIdle(limit: 100) }
        #expect(
            issues.map(\.message) == [
                "After 100 jobs there is still another one. Does an effect loop without waiting?"
            ]
        )
        task.cancel()
        executor.runUntilIdle()
        await task.value
    }

    @Test("Jobs run immediately after the last test store of an executor has ended")
    func release() async {
        let executor = ManualExecutor()
        let task = Task(executorPreference: executor) { await Task.yield() }
        executor.addUser()
        executor.removeUser()
        await task.value
        await Task(executorPreference: executor) { await Task.yield() }.value
    }

    @Test("An executor lives until a call that enqueues a job returns, also if job and last owner end before")
    func lifetime() async {
        var executor: ManualExecutor? = ManualExecutor()
        let owner = LockedValue(executor)
        weak let weakExecutor = executor
        let isAlive = LockedValue<Bool?>(nil)
        let gate = LockedValue<UnsafeContinuation<Void, Never>?>(nil)
        // A task that is resumed by the executor's last enqueued job.
        let interruption = Interruption { [weak executor] in
            owner.withLock { $0 }?.runUntilIdle()
            owner.withLock { $0 = nil }
            isAlive.withLock { $0 = executor != nil }
        }
        let task = Task(executorPreference: owner.withLock { $0 }) {
            await withUnsafeContinuation { continuation in gate.withLock { $0 = continuation } }
        }
        executor?.runUntilIdle()
        let changes = executor?.changes
        let listener = Task(executorPreference: interruption) {
            _ = await changes?.wait(atMost: .seconds(60)) { isAlive.withLock { $0 != nil } }
        }
        executor = nil
        interruption.isArmed.withLock { $0 = true }
        gate.withLock { $0 }?.resume()
        #expect(isAlive.withLock { $0 } == true)
        await listener.value
        await task.value
        #expect(weakExecutor == nil)
    }

    /// Runs each job at once, on the enqueuing thread, after a closure.
    private final class Interruption: TaskExecutor {
        let isArmed = LockedValue(false)
        private let body: @Sendable () -> Void

        init(_ body: @escaping @Sendable () -> Void) { self.body = body }

        func enqueue(_ job: consuming ExecutorJob) {
            if isArmed.withLock({ $0 }) {
                isArmed.withLock { $0 = false }
                body()
            }
            job.runSynchronously(on: asUnownedTaskExecutor())
        }
    }

    @Test("Jobs keep their order and run on one thread at a time, and immediately after the last user")
    func machine() {
        var jobs = ManualJobs<Int>()
        #expect(jobs.append(1) == false)
        #expect(jobs.append(2) == false)
        #expect(jobs.beginRunning() == true)
        #expect(jobs.beginRunning() == false)
        let (first, second) = (jobs.next(), jobs.next())
        #expect([first, second] == [1, 2])
        #expect(jobs.append(3) == false)
        #expect(jobs.next() == 3)
        #expect(jobs.next() == nil)
        #expect(jobs.isRunning == false)
        jobs.addUser()
        jobs.addUser()
        #expect(jobs.removeUser() == false)
        #expect(jobs.append(4) == false)
        #expect(jobs.removeUser() == true)
        #expect(jobs.append(5) == true)
        #expect(jobs.count == 2)
        jobs.addUser()
        #expect(jobs.append(6) == false)
    }

    @Test("A waiter for the end of a run is woken although another one finds no run meanwhile")
    func severalWaiters() {
        var jobs = ManualJobs<Int>()
        _ = jobs.append(1)
        #expect(jobs.beginRunning() == true)
        #expect(jobs.awaitEnd() == false)
        #expect(jobs.next() == 1)
        #expect(jobs.next() == nil)
        #expect(jobs.awaitEnd() == true)
        #expect(jobs.takeAwaited() == true)
    }
}
