import Foundation
import Synchronization

/// A thread that runs the tasks that prefer it.
final class ThreadExecutor: TaskExecutor {
    private struct State {
        var jobs: [UnownedJob] = []
        var isStopped = false
    }

    private let state = Mutex(State())
    private let hasChanged = DispatchSemaphore(value: 0)

    init() {
        let thread = Thread { [self] in run() }
        thread.name = "producer"
        thread.start()
    }

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        state.withLock { $0.jobs.append(job) }
        hasChanged.signal()
    }

    /// Ends the thread when it has nothing left to run.
    func stop() {
        state.withLock { $0.isStopped = true }
        hasChanged.signal()
    }

    private func run() {
        while true {
            let (jobs, isStopped) = state.withLock { state in
                defer { state.jobs = [] }
                return (state.jobs, state.isStopped)
            }
            for job in jobs { job.runSynchronously(on: asUnownedTaskExecutor()) }
            if jobs.isEmpty {
                if isStopped { return }
                hasChanged.wait()
            }
        }
    }
}
