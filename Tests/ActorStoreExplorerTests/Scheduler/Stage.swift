import ActorStore
import Testing

/// Something that a scenario does under many schedules, and what must hold whatever the schedule.
struct Scenario: Sendable, CustomTestStringConvertible {
    let name: String
    let prepare: @Sendable (Stage) -> Void

    /// - Parameters:
    ///   - name: What is promised.
    ///   - prepare: Makes stores, and says what threads and tasks do. It runs before any of these.
    init(_ name: String, _ prepare: @escaping @Sendable (Stage) -> Void) {
        self.name = name
        self.prepare = prepare
    }

    var testDescription: String { name }
}

/// What a scenario is written with.
final class Stage: @unchecked Sendable {
    // Sound: everything is touched only by the thread of the run that has the baton.
    private let schedule: Schedule
    private var threads: [(name: String, body: () -> Void)] = []
    private var endings: [() -> Void] = []
    private var unfinishedTasks: [String] = []
    let executor: ScheduleExecutor

    init(schedule: Schedule) {
        self.schedule = schedule
        executor = ScheduleExecutor(schedule: schedule)
    }

    /// Passes when nothing else can happen.
    var clock: VirtualClock { schedule.clock }

    /// For the stores of the scenario: their tasks run under the schedule, and senders hand the turn over early.
    var configuration: StoreConfiguration {
        var configuration = StoreConfiguration(executor: executor)
        // A time that stands still, because a run must not depend on how fast the machine is.
        configuration.limits = WorkLimits(messagesPerSender: 2, messagesPerSlice: 3, messagesPerAnswer: 2) { 0 }
        return configuration
    }

    /// Adds a thread.
    func thread(_ name: String, _ body: @escaping () -> Void) { threads.append((name, body)) }

    /// Adds a task, which must come to its end.
    func task(_ name: String, _ body: @escaping @Sendable () async throws -> Void) {
        threads.append((name, { self.start(name, body) }))
    }

    /// Starts a task from within the run. It must come to its end.
    @discardableResult
    func start(_ name: String, _ body: @escaping @Sendable () async throws -> Void) -> Task<Void, Never> {
        unfinishedTasks.append(name)
        return Task.detached(executorPreference: executor) { [self] in
            do {
                try await body()
            } catch {
                schedule.fail("\(name) threw \(error).")
            }
            if let index = unfinishedTasks.firstIndex(of: name) { unfinishedTasks.remove(at: index) }
        }
    }

    /// A point at which another thread can go on.
    func reach() {
        SchedulePoint.current?.modify(at: UnsafeRawPointer(Unmanaged.passUnretained(self).toOpaque()), .relaxed)
    }

    /// A point at which other threads go on first.
    func pause() { SchedulePoint.current?.pause() }

    /// A point at which other threads go on before the task does.
    func yield() async {
        schedule.isYielding = true
        await Task.yield()
    }

    /// Keeps something until nothing more can happen.
    func keep(_ value: Any) { endings.append { withExtendedLifetime(value) {} } }

    /// Keeps the errors of a store from being reported as issues, because the scenario causes some.
    func expectErrors(of store: Store<some Sendable, some Sendable>) { keep(store.errors) }

    /// Adds a check for when nothing more can happen.
    func atEnd(_ body: @escaping () -> Void) { endings.append(body) }

    /// Ends the run with a failure unless the condition holds.
    func expect(_ condition: Bool, _ message: @autoclosure () -> String) {
        if !condition { schedule.fail(message()) }
    }

    /// Ends the run with a failure unless both are the same.
    func expect<Value: Equatable>(_ value: Value, is expected: Value, _ what: String) {
        if value != expected { schedule.fail("\(what): \(value), and not \(expected)") }
    }

    /// Carries the scenario out.
    func perform(_ scenario: Scenario) {
        schedule.run("preparation") { scenario.prepare(self) }
        schedule.run("threads") {
            for (name, body) in self.threads { self.schedule.spawn(name, body) }
            self.threads = []
        }
        if !unfinishedTasks.isEmpty {
            let names = unfinishedTasks.joined(separator: ", ")
            schedule.fail("Lost wake-up: nothing more can happen, and \(names) did not come to an end.")
        }
        schedule.run("checks") { for ending in self.endings { ending() } }
        // Released by a thread of the run, because the end of a store starts tasks and wakes threads.
        schedule.run("release") { self.endings = [] }
    }
}

/// Runs the tasks of a scenario: each part of one, up to its next suspension, is a thread of the run.
final class ScheduleExecutor: TaskExecutor, @unchecked Sendable {
    // Sound: the schedule is touched only by the thread that has the baton, which is the one that enqueues.
    private unowned let schedule: Schedule

    init(schedule: Schedule) { self.schedule = schedule }

    func enqueue(_ job: consuming ExecutorJob) {
        let name = "job \(schedule.trace.isVerbose ? job.description : "")"
        let job = UnownedJob(job)
        guard SchedulePoint.current != nil else {
            fatalError("A task of a scenario was resumed by a thread that is not one of the scenario.")
        }
        // What was written before is seen by the task.
        schedule.publish()
        schedule.spawn(name) { [self] in job.runSynchronously(on: asUnownedTaskExecutor()) }
    }
}

/// A value that the threads of a scenario share. Only one of them runs at a time.
final class Shared<Value>: @unchecked Sendable {
    // Sound: see above.
    var value: Value
    init(_ value: Value) { self.value = value }
}
