import Dispatch

/// A thread on which an actor may wait for a disk or for a network, so that it does not keep one from others that tasks
/// run on.
package final class BlockingThread: SerialExecutor {
    private let queue: DispatchQueue

    package init(named name: String) { queue = DispatchQueue(label: name) }

    package func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        queue.async { job.runSynchronously(on: self.asUnownedSerialExecutor()) }
    }

    package func checkIsolated() { dispatchPrecondition(condition: .onQueue(queue)) }

    /// Does something here, soon or after some time.
    package func run(after delay: Duration = .zero, _ work: @escaping @Sendable () -> Void) {
        guard delay > .zero else { return queue.async(execute: work) }
        queue.asyncAfter(deadline: .now() + delay.dispatchInterval, execute: work)
    }
}

extension Duration {
    /// The same for Dispatch, which counts whole nanoseconds; at most thirty years.
    package var dispatchInterval: DispatchTimeInterval {
        let (seconds, attoseconds) = components
        let nanoseconds = Double(seconds) * 1e9 + Double(attoseconds) / 1e9
        return .nanoseconds(Int(min(max(nanoseconds, 0), 1e18)))
    }
}
