import ActorStore

/// Plays a schedule through a tree of stores while observers follow.
struct Replay: Sendable {
    let schedule: Schedule
    let display: any BoardDisplay

    /// The duration; as fast as possible if nil.
    var duration: Duration?

    /// The rules of the airports.
    var rules = AirportRules()

    /// The request to end early.
    var interruption = Interruption.never

    /// The time for effects to end after an interruption.
    private static let patience = Duration.seconds(5)

    /// A task whose dispatches never wait would keep its core: after this number of events it yields to the other
    /// airports and the observers.
    private static let turn = 32

    /// Dispatches everything, or as much as there is time for, waits for the effects and the observers, and returns the
    /// state of the stores.
    func run() async throws -> ReplayResult {
        let display = display
        let executor = EffectExecutor()
        let clocks = Dictionary(
            uniqueKeysWithValues: schedule.airports.map { ($0, BoardClock(executor: executor)) }
        )
        let tree = BoardTree(
            legs: schedule.legs,
            rules: rules,
            alerts: AlertSink { await display.show($0) },
            executor: executor,
            clocks: clocks
        )
        let observers = Observers(tree: tree, schedule: schedule, display: display)
        async let lastSeen = observers.follow()
        let start = ContinuousClock.now
        let wasInterrupted: Bool
        do {
            wasInterrupted = try await dispatchUntilInterrupted(to: tree, clocks, from: start)
        } catch {
            // Ends the observers, which must not outlive this function.
            await tree.board.shutdown(drain: .cancelEffects)
            throw error
        }
        if wasInterrupted {
            // Effects that wait for a later time of the board would wait forever.
            await tree.board.shutdown(drain: .cancelEffects, within: Self.patience)
        } else {
            await tree.board.shutdown(drain: .finishEffects)
        }
        let elapsed = ContinuousClock.now - start
        return ReplayResult(
            state: tree.state,
            revision: tree.board.revision,
            elapsed: elapsed,
            lastSeen: await lastSeen,
            eventCount: schedule.eventCount,
            wasInterrupted: wasInterrupted
        )
    }

    /// - Returns: Whether it was interrupted. All dispatched events have been reduced.
    private func dispatchUntilInterrupted(
        to tree: BoardTree,
        _ clocks: [AirportCode: BoardClock],
        from start: ContinuousClock.Instant
    ) async throws -> Bool {
        try await withThrowingTaskGroup(of: Bool.self) { group in
            group.addTask {
                try await dispatchAll(to: tree, clocks, from: start)
                return false
            }
            group.addTask {
                await interruption.wait()
                return true
            }
            defer { group.cancelAll() }
            guard try await group.next() == true else { return false }
            group.cancelAll()
            // The dispatchers stop between two events, without an error.
            do { try await group.waitForAll() } catch is CancellationError {}
            return true
        }
    }

    /// One task for each airport of origin: an airport's events stay in order, airports do not wait for each other.
    ///
    /// Each event enters the tree at its carrier, when the airport's clock has reached its time. After the last one the
    /// clock advances for remaining sleepers.
    private func dispatchAll(
        to tree: BoardTree,
        _ clocks: [AirportCode: BoardClock],
        from start: ContinuousClock.Instant
    ) async throws {
        var pace: Pace?
        if let duration, let span = schedule.span { pace = Pace(start: start, duration: duration, span: span) }
        try await withThrowingTaskGroup(of: Void.self) { [pace] group in
            for departures in schedule.departures {
                let clock = clocks[departures.origin]
                group.addTask {
                    for (index, event) in departures.events.enumerated() {
                        if index % Self.turn == 0 { await Task.yield() }
                        try Task.checkCancellation()
                        try await pace?.wait(for: event.time)
                        await clock?.advance(to: event.time)
                        try await tree.carriers[schedule.leg(of: event)]?.dispatch(schedule.news(of: event))
                    }
                    await clock?.finish()
                }
            }
            try await group.waitForAll()
        }
    }
}
