extension StoreCore: SerialExecutor {
    /// Runs a piece of a task that is isolated to the store, in a turn, after all that was accepted before. Not by the
    /// thread that resumes the task, which may hold a lock, unless that is a sender at work, which reads what is
    /// queued.
    @usableFromInline
    func enqueue(_ job: consuming ExecutorJob) {
        // The runtime holds no executor: the job can run elsewhere, and its task end and let go of the store, before
        // this returns.
        let hold = Unmanaged.passRetained(self)
        leaveToOthers(.job(UnownedJob(job)))
        hold.release()
    }

    /// Traps unless the calling thread is inside a turn of this store.
    @usableFromInline
    func checkIsolated() {
        guard gate.isOwnedByThisThread else {
            fatalError(
                "Code that assumes isolation to the store \"\(configuration.name)\" ran elsewhere. Await it on the store."
            )
        }
    }
}
