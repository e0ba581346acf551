import ActorStore

extension SimulationExecutor {
    /// Takes note that the simulation begins.
    func begin() throws(SimulationError) {
        let isFirst = withSchedule { schedule in
            guard schedule.phase == .preparing else { return false }
            schedule.phase = .running(thread: 0)
            return true
        }
        guard isFirst else { throw .alreadyRun }
    }

    /// Runs `body` as part of the simulation: what it resumes comes from the simulation's own thread.
    func asLoop<Result>(_ body: () throws(SimulationError) -> Result) throws(SimulationError) -> Result {
        withSchedule { $0.phase = .running(thread: CurrentThread.identity) }
        defer {
            withSchedule { if case .running = $0.phase { $0.phase = .running(thread: 0) } }
        }
        return try body()
    }

    /// Runs jobs, on the calling thread, which never waits for another one.
    ///
    /// - Parameter limit: After so many steps it is done for the moment.
    /// - Returns: whether all is over.
    func runSteps(atMost limit: Int) throws(SimulationError) -> Bool {
        try asLoop { () throws(SimulationError) in
            for _ in 0..<limit {
                switch withSchedule({ $0.next() }) {
                case .run(let entry): run(entry)
                case .wake(let sleepers): for sleeper in sleepers { sleeper.resume() }
                case .idle: if try endIfOver() { return true }
                case .exhausted: throw abandon(.tooManyJobs(withSchedule { $0.trace.jobs }))
                }
            }
            return false
        }
    }

    /// Nothing can run: either that is the end, or it never will be.
    private func endIfOver() throws(SimulationError) -> Bool {
        let (isOver, unfinished) = withSchedule { ($0.isBodyOver, $0.roster.names) }
        guard isOver else { throw abandon(.deadlock(unfinished: unfinished)) }
        if let rest = withSchedule({ $0.windUp() }) {
            for sleeper in rest.sleepers { sleeper.resume(throwing: CancellationError()) }
            for cancel in rest.cancellations { cancel() }
            return false
        }
        guard unfinished.isEmpty else { throw abandon(.leftBehind(unfinished)) }
        withSchedule { $0.phase = .ended }
        return true
    }

    /// Leaves everything as it is: what has not been run never will be.
    private func abandon(_ error: SimulationError) -> SimulationError {
        withSchedule { schedule in
            schedule.phase = .abandoned
            _ = schedule.pool.takeAll()
        }
        return error
    }
}
