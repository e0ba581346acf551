import ActorStore

extension StoreGroup {
    /// Begins to let idle stores go, once in each period, until the task is cancelled or the group is gone. It keeps
    /// the group while a state is handed over, and no longer.
    func makeEvictor() -> Task<Void, Never>? {
        guard let idle = eviction.idle?.boundedWait else { return nil }
        let clock = eviction.clock
        let reporter = StoreIssueReporter.current
        return Task.detached(executorPreference: configuration.executor, priority: configuration.priority) {
            [weak self] in
            await withTaskGroup(of: Void.self) { handOvers in
                // Hand-overs of this period and of earlier ones, whose end has not been noted.
                var begun = 0
                var look: UInt32 = 0
                while await Self.passes(idle, clock, reporter) {
                    look &+= 1
                    for table in 0..<Self.tableCount {
                        guard let tickets = self?.idleStores(inTable: table, look: look) else { return }
                        for ticket in tickets {
                            guard let limit = self?.eviction.maxConcurrentHandOvers else { return }
                            if begun == limit {
                                await handOvers.next()
                                begun -= 1
                            }
                            guard let group = self, group.beginHandOver(ticket, ifIdle: true) else { continue }
                            handOvers.addTask { [weak group] in await group?.handOverAndRemove(ticket) }
                            begun += 1
                        }
                    }
                }
            }
        }
    }

    /// Waits for a period.
    ///
    /// - Returns: whether it has passed. If the clock fails, the reporter is told.
    private static func passes(
        _ period: Duration,
        _ clock: any Clock<Duration>,
        _ reporter: StoreIssueReporter
    ) async -> Bool {
        do {
            try await clock.sleep(for: period)
            return true
        } catch {
            if !Task.isCancelled { reporter.report(clockFailure(error)) }
            return false
        }
    }

    private static func clockFailure(_ error: any Error) -> ReportedIssue {
        ReportedIssue(
            message: """
                The clock of the eviction of a StoreGroup threw \(error), so that the group lets no more idle stores go by itself. \
                A clock throws only when the task is cancelled that waits for it.
                """,
            location: CodeLocation(fileID: #fileID, line: #line)
        )
    }
}
