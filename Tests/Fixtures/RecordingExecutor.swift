import ActorStore
import Testing

/// Runs every job on a queue of the system, and counts them.
final class RecordingExecutor: TaskExecutor {
    let jobs = Collector<Void>()

    func enqueue(_ job: consuming ExecutorJob) {
        jobs.append(())
        let job = UnownedJob(job)
        onThread { job.runSynchronously(on: self.asUnownedTaskExecutor()) }
    }
}

/// Keeps jobs until the test runs them, on its own thread.
final class PatientExecutor: TaskExecutor {
    private let jobs = LockedValue<[UnownedJob]>([])

    var waitingJobs: Int { jobs.withLock { $0.count } }

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        jobs.withLock { $0.append(job) }
    }

    /// Runs jobs, and their follow-up jobs, until there are no more.
    func runAll() {
        while let job = jobs.withLock({ $0.isEmpty ? nil : $0.removeFirst() }) {
            job.runSynchronously(on: asUnownedTaskExecutor())
        }
    }
}

/// Keeps the jobs of actors until the test runs them, on its own thread.
final class PatientSerialExecutor: SerialExecutor {
    private let jobs = LockedValue<[UnownedJob]>([])

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        jobs.withLock { $0.append(job) }
    }

    /// Waits until this number of jobs are pending.
    func waitForJobs(_ count: Int, _ place: Testing.SourceLocation = #_sourceLocation) async {
        await until(place) { jobs.withLock { $0.count } >= count }
    }

    /// Waits for a job, and runs it.
    func runNext(_ place: Testing.SourceLocation = #_sourceLocation) async {
        await waitForJobs(1, place)
        runAvailable(atMost: 1)
    }

    /// Runs pending jobs, but does not wait for one.
    func runAvailable(atMost count: Int = .max) {
        var count = count
        while count > 0, let job = jobs.withLock({ $0.isEmpty ? nil : $0.removeFirst() }) {
            job.runSynchronously(on: asUnownedSerialExecutor())
            count -= 1
        }
    }
}
