extension Simulation {
    /// Lets other tasks of the simulation come first, if the seed says so.
    ///
    /// A task that uses an idle store does not suspend; put this between its steps, or it takes them all at once.
    public func interleave() async {
        await Task.yield()
    }

    /// Runs other jobs of the simulation now, in the middle of the synchronous code that calls it, if the seed says so;
    /// as if another thread were faster.
    ///
    /// Called in a store's turn, this is what contention is: to a store it is all the same whether a sender that finds
    /// the turn taken is on another thread. Call it in closure observers and interceptors; what others then send waits
    /// in the mailbox, and a dispatch suspends.
    ///
    /// ```swift
    /// let token = store.observe(\.count) { _ in simulation.preempt() }
    /// ```
    ///
    /// In a reducer there is one condition: a task that could run then must not read `Store.snapshot` of the same
    /// store, because on one thread it cannot wait for the reducer, and traps; call ``outermost()`` right before. The
    /// same holds for an interceptor while it is given a batch, where the snapshot would be one between two actions.
    ///
    /// Does nothing outside the simulation. Never call it under a lock.
    public func preempt() {
        executor.preempt()
    }

    /// Suspends until no job is being interrupted by ``preempt()``; what follows, up to the next suspension, is not run
    /// in the middle of another job.
    ///
    /// It must be called directly by a task of the simulation, not by an actor that has an executor of its own.
    public func outermost() async {
        await wait(for: .outermost)
    }

    /// Suspends until nothing else can run unless time passes: until what was sent has arrived, and observers were
    /// told.
    public func quiet() async {
        await wait(for: .quiet)
    }

    private func wait(for moment: JobPool<SimulatedJob>.Moment) async {
        await withUnsafeContinuation { continuation in
            executor.accept(.init(job: .resumption(continuation), moment: moment))
        }
    }
}
