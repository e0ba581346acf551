extension StoreCore: SerialExecutor {
    /// Runs a piece of a task that is isolated to the store, in a turn: at once if the store is idle, and otherwise
    /// after all that was accepted before.
    @usableFromInline
    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        submit { core in job.runSynchronously(on: core.asUnownedSerialExecutor()) }
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
