#if Journal
    import Dispatch

    /// A thread on which an actor may wait for the disk, so that it does not keep one from others that tasks run on.
    final class JournalThread: SerialExecutor {
        private let queue: DispatchQueue

        init(named name: String) { queue = DispatchQueue(label: name) }

        func enqueue(_ job: consuming ExecutorJob) {
            let job = UnownedJob(job)
            queue.async { job.runSynchronously(on: self.asUnownedSerialExecutor()) }
        }

        func checkIsolated() { dispatchPrecondition(condition: .onQueue(queue)) }

        /// Does something here, soon or after some time.
        func run(after delay: Duration = .zero, _ work: @escaping @Sendable () -> Void) {
            guard delay > .zero else { return queue.async(execute: work) }
            let (seconds, attoseconds) = delay.components
            let nanoseconds = Double(seconds) * 1e9 + Double(attoseconds) / 1e9
            queue.asyncAfter(deadline: .now() + .nanoseconds(Int(min(nanoseconds, 1e18))), execute: work)
        }
    }
#endif
