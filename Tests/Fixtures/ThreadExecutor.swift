import ActorStore
import Dispatch
import Foundation

/// Runs each job of a task on its own thread, so that it may block.
final class ThreadExecutor: TaskExecutor {
    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        Thread.detachNewThread { [self] in job.runSynchronously(on: asUnownedTaskExecutor()) }
    }
}

/// Runs jobs one after the other, like a pool of one thread: a blocked one blocks all others.
final class OneThreadExecutor: TaskExecutor {
    /// Pending jobs, behind the running one.
    private let jobs = LockedValue<[UnownedJob]>([])

    /// Whether the calling task prefers it.
    var isPreferred: Bool { withUnsafeCurrentTask { $0?.unownedTaskExecutor } == asUnownedTaskExecutor() }

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        let isFirst = jobs.withLock { jobs in
            jobs.append(job)
            return jobs.count == 1
        }
        if isFirst { Thread.detachNewThread { [self] in run() } }
    }

    private func run() {
        var next = jobs.withLock { $0.first }
        while let job = next {
            job.runSynchronously(on: asUnownedTaskExecutor())
            next = jobs.withLock { jobs in
                jobs.removeFirst()
                return jobs.first
            }
        }
    }
}

/// An operation that blocks its thread until it is released; at the latest after five minutes, so that a test fails and
/// does not hang.
final class Blockade: Sendable {
    private let began = Signal()
    private let exit = DispatchSemaphore(value: 0)

    func waitUntilBegun() async { await began.wait() }

    func release() { exit.signal() }

    /// Blocks the calling thread.
    ///
    /// - Returns: Whether it was released.
    @discardableResult
    func block() -> Bool {
        began.fire()
        return exit.wait(timeout: .now() + 300) == .success
    }

    /// Blocks the calling thread until the task is cancelled, like a call interrupted by its cancellation handler.
    ///
    /// - Returns: Whether the cancellation handler has run.
    func blockUntilCancelled() async -> Bool {
        await withTaskCancellationHandler {
            block()
        } onCancel: {
            release()
        }
    }
}
