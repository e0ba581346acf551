import ActorStore
import Testing

/// A scenario to run under many schedules, with conditions that must hold under each.
struct Scenario: Sendable, CustomTestStringConvertible {
    let name: String
    let prepare: @Sendable (Stage) -> Void

    /// - Parameters:
    ///   - name: The guarantee.
    ///   - prepare: Creates stores, and defines the threads and tasks. It runs before any of these.
    init(_ name: String, _ prepare: @escaping @Sendable (Stage) -> Void) {
        self.name = name
        self.prepare = prepare
    }

    var testDescription: String { name }
}

/// The functions for writing a scenario.
final class Stage: @unchecked Sendable {
    // Sound: everything is accessed only by the thread of the run that has the baton.
    private let schedule: Schedule
    private var threads: [(name: String, body: () -> Void)] = []
    private var endings: [() -> Void] = []
    private var unfinishedTasks: [String] = []
    let executor: ScheduleExecutor

    init(schedule: Schedule) {
        self.schedule = schedule
        executor = ScheduleExecutor(schedule: schedule)
    }

    /// Fires when nothing else can happen.
    var clock: VirtualClock { schedule.clock }

    /// For the stores of the scenario: their tasks run under the schedule, and senders pass the turn on early.
    var configuration: StoreConfiguration {
        var configuration = StoreConfiguration(executor: executor)
        // A constant time, because a run must not depend on the speed of the machine.
        configuration.limits = WorkLimits(messagesPerSender: 2, messagesPerSlice: 3, messagesPerAnswer: 2) { 0 }
        return configuration
    }

    /// Adds a thread.
    func thread(_ name: String, _ body: @escaping () -> Void) { threads.append((name, body)) }

    /// Adds a task, which must end.
    func task(_ name: String, _ body: @escaping @Sendable () async throws -> Void) {
        threads.append((name, { self.start(name, body) }))
    }

    /// Starts a task from within the run, which must end.
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

    /// A point at which another thread can run.
    func reach() {
        SchedulePoint.current?.modify(at: UnsafeRawPointer(Unmanaged.passUnretained(self).toOpaque()), .relaxed)
    }

    /// A point at which other threads run first.
    func pause() { SchedulePoint.current?.pause() }

    /// A point at which other threads run before the task does.
    func yield() async {
        schedule.isYielding = true
        await Task.yield()
    }

    /// Retains a value until nothing more can happen.
    func keep(_ value: Any) { endings.append { withExtendedLifetime(value) {} } }

    /// Keeps the errors of a store from being reported as issues, because the scenario causes some.
    func expectErrors(of store: Store<some Sendable, some Sendable>) { keep(store.errors) }

    /// Adds a check for when nothing more can happen.
    func atEnd(_ body: @escaping () -> Void) { endings.append(body) }

    /// Ends the run with a failure unless the condition holds.
    func expect(_ condition: Bool, _ message: @autoclosure () -> String) {
        if !condition { schedule.fail(message()) }
    }

    /// Ends the run with a failure unless both are equal.
    func expect<Value: Equatable>(_ value: Value, is expected: Value, _ what: String) {
        if value != expected { schedule.fail("\(what): \(value), and not \(expected)") }
    }

    /// Runs the scenario.
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

/// Runs the tasks of a scenario: each job, up to the next suspension, is a thread of the run.
final class ScheduleExecutor: TaskExecutor, @unchecked Sendable {
    // Sound: the schedule is accessed only by the thread that has the baton, which is the enqueuing one.
    private unowned let schedule: Schedule

    init(schedule: Schedule) { self.schedule = schedule }

    func enqueue(_ job: consuming ExecutorJob) {
        let name = "job \(schedule.trace.isVerbose ? job.description : "")"
        let job = UnownedJob(job)
        guard SchedulePoint.current != nil else {
            fatalError("A task of a scenario was resumed by a thread that is not one of the scenario.")
        }
        // Earlier writes are visible to the task.
        schedule.publish()
        schedule.spawn(name) { [self] in job.runSynchronously(on: asUnownedTaskExecutor()) }
    }
}

/// A value that the threads of a scenario share. Only one of them runs at a time, so it needs no `LockedValue`, whose
/// operations would be schedule points.
final class Shared<Value>: @unchecked Sendable {
    // Sound: see above.
    var value: Value
    init(_ value: Value) { self.value = value }
}
