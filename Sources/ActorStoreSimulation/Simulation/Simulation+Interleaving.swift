extension Simulation {
    /// Runs other tasks of the simulation first, if the seed says so.
    ///
    /// A task that uses an idle store does not suspend; call this between its steps, or it takes them all at once.
    public func interleave() async {
        await Task.yield()
    }

    /// Runs other jobs of the simulation now, in the middle of the synchronous code that calls it, if the seed says so,
    /// as if another thread were faster.
    ///
    /// Called in a store's turn, this simulates contention: a store cannot distinguish such a sender, which finds the
    /// turn taken, from one on another thread. Call it in closure observers and interceptors. Actions that other tasks
    /// then send wait in the mailbox, and a dispatch suspends.
    ///
    /// ```swift
    /// let token = store.observe(\.count) { _ in simulation.preempt() }
    /// ```
    ///
    /// In a reducer there is one restriction: a task that could run then must not read `Store.snapshot` of the same
    /// store, because on one thread it cannot wait for the reducer, and traps; call ``outermost()`` directly before.
    /// The same holds for an interceptor during a batch, where the snapshot would be one between two actions.
    ///
    /// It does nothing outside the simulation. Never call it under a lock.
    public func preempt() {
        executor.preempt()
    }

    /// Suspends until no job is interrupted by ``preempt()``. The code up to the next suspension is not run in the
    /// middle of another job.
    ///
    /// Call it directly in a task of the simulation, not in an actor with its own executor.
    public func outermost() async {
        await wait(for: .outermost)
    }

    /// Suspends until no other job can run unless time passes: until all sent actions have been reduced, and observers
    /// notified.
    public func quiet() async {
        await wait(for: .quiet)
    }

    private func wait(for moment: JobPool<SimulatedJob>.Moment) async {
        await withUnsafeContinuation { continuation in
            executor.accept(.init(job: .resumption(continuation), moment: moment))
        }
    }
}
