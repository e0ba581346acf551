import Dispatch

/// Runs the effects of a tree on the threads of the system, and detects when all of them have ended, or are waiting.
final class EffectExecutor: TaskExecutor {
    private struct State {
        /// The number of running or pending jobs.
        var jobs = 0
        var waiters: [CheckedContinuation<Void, Never>] = []
    }

    private let state = LockedValue(State())

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        state.withLock { $0.jobs += 1 }
        DispatchQueue.global().async { [self] in
            job.runSynchronously(on: asUnownedTaskExecutor())
            endJob()
        }
    }

    /// Waits until no job runs.
    func settle() async {
        if state.withLock({ $0.jobs == 0 }) { return }
        await withCheckedContinuation { continuation in
            let isIdle = state.withLock { state in
                if state.jobs > 0 { state.waiters.append(continuation) }
                return state.jobs == 0
            }
            if isIdle { continuation.resume() }
        }
    }

    private func endJob() {
        let waiters = state.withLock { state in
            state.jobs -= 1
            guard state.jobs == 0 else { return [CheckedContinuation<Void, Never>]() }
            defer { state.waiters = [] }
            return state.waiters
        }
        for waiter in waiters { waiter.resume() }
    }
}
