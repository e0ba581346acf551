/// Hands every job to a queue of the system, and keeps count of them.
final class RecordingExecutor: TaskExecutor {
    let jobs = Collector<Void>()

    func enqueue(_ job: consuming ExecutorJob) {
        jobs.append(())
        let job = UnownedJob(job)
        onThread { job.runSynchronously(on: self.asUnownedTaskExecutor()) }
    }
}
