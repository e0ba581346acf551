import Dispatch

/// A serial executor for an actor that waits for a disk or a network, so that it does not block the threads of other
/// tasks.
package final class BlockingThread: SerialExecutor {
    private let queue: DispatchQueue

    package init(named name: String) { queue = DispatchQueue(label: name) }

    package func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        queue.async { job.runSynchronously(on: self.asUnownedSerialExecutor()) }
    }

    package func checkIsolated() { dispatchPrecondition(condition: .onQueue(queue)) }

    /// Runs a closure on this executor, at once or after a delay.
    package func run(after delay: Duration = .zero, _ work: @escaping @Sendable () -> Void) {
        guard delay > .zero else { return queue.async(execute: work) }
        queue.asyncAfter(deadline: .now() + delay.dispatchInterval, execute: work)
    }
}

extension Duration {
    /// The duration for Dispatch, which counts whole nanoseconds; at most thirty years.
    package var dispatchInterval: DispatchTimeInterval {
        let (seconds, attoseconds) = components
        let nanoseconds = Double(seconds) * 1e9 + Double(attoseconds) / 1e9
        return .nanoseconds(Int(min(max(nanoseconds, 0), 1e18)))
    }
}
