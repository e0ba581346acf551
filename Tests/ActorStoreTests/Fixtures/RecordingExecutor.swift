import Synchronization

/// Hands every job to a queue of the system, and keeps count of them.
final class RecordingExecutor: TaskExecutor {
    let jobs = Collector<Void>()

    func enqueue(_ job: consuming ExecutorJob) {
        jobs.append(())
        let job = UnownedJob(job)
        onThread { job.runSynchronously(on: self.asUnownedTaskExecutor()) }
    }
}

/// Keeps jobs until the test has them run, on its own thread.
final class PatientExecutor: TaskExecutor {
    private let jobs = Guarded<[UnownedJob]>([])

    var waitingJobs: Int { jobs.withLock { $0.count } }

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        jobs.withLock { $0.append(job) }
    }

    /// Runs jobs, and those that come of them, until there are none.
    func runAll() {
        while let job = jobs.withLock({ $0.isEmpty ? nil : $0.removeFirst() }) {
            job.runSynchronously(on: asUnownedTaskExecutor())
        }
    }
}
