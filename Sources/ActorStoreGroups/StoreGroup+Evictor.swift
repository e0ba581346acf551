import ActorStore

extension StoreGroup {
    /// Starts to evict idle stores, once in each period, until the task is cancelled or the group is released. The task
    /// retains the group only while a state is handed over.
    func makeEvictor() -> Task<Void, Never>? {
        guard let idle = eviction.idle?.boundedWait else { return nil }
        let clock = eviction.clock
        let reporter = StoreIssueReporter.current
        return Task.detached(executorPreference: configuration.executor, priority: configuration.priority) {
            [weak self] in
            await withTaskGroup(of: Void.self) { handOvers in
                // The hand-overs of this period and of earlier ones that have not been awaited.
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
    /// - Returns: True if it has passed. If the clock fails, an issue is reported.
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
                The clock of the eviction of a StoreGroup threw \(error). The group no longer evicts idle stores by itself. \
                A clock must throw only if the waiting task is cancelled.
                """,
            location: CodeLocation(fileID: #fileID, line: #line)
        )
    }
}
