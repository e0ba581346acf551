import ActorStore

/// Plays a schedule through a tree of stores while observers follow.
struct Replay: Sendable {
    let schedule: Schedule
    let display: any BoardDisplay

    /// How long it should take; as fast as it can when there is none.
    var duration: Duration?

    var thresholds = AlertThresholds()

    /// A task whose dispatches never have to wait would keep its core to itself: after so many events it lets the
    /// other airports and the observers go on.
    private static let turn = 32

    /// Dispatches everything, waits for the effects and the observers, and returns what the stores hold.
    func run() async throws -> ReplayResult {
        let display = display
        let alerts = AlertSink { await display.show($0) }
        let tree = BoardTree(legs: schedule.legs, thresholds: thresholds, alerts: alerts)
        let observers = Observers(tree: tree, schedule: schedule, display: display)
        async let lastSeen = observers.follow()
        let start = ContinuousClock.now
        do {
            try await dispatchAll(to: tree, from: start)
        } catch {
            // Ends the observers, whom this function must not leave behind.
            await tree.board.shutdown(drain: .cancelEffects)
            throw error
        }
        await tree.board.shutdown(drain: .finishEffects)
        let elapsed = ContinuousClock.now - start
        return ReplayResult(
            state: tree.state,
            revision: tree.board.revision,
            elapsed: elapsed,
            lastSeen: await lastSeen
        )
    }

    /// One task for each airport of origin: an airport's events stay in order, airports do not wait for each other.
    ///
    /// Each event enters the tree at the carrier whose flight it is.
    private func dispatchAll(to tree: BoardTree, from start: ContinuousClock.Instant) async throws {
        var pace: Pace?
        if let duration, let span = schedule.span { pace = Pace(start: start, duration: duration, span: span) }
        try await withThrowingTaskGroup(of: Void.self) { [pace] group in
            for departures in schedule.departures {
                group.addTask {
                    for (index, event) in departures.events.enumerated() {
                        if index % Self.turn == 0 { await Task.yield() }
                        try await pace?.wait(for: event.time)
                        try await tree.carriers[schedule.leg(of: event)]?.dispatch(schedule.news(of: event))
                    }
                }
            }
            try await group.waitForAll()
        }
    }
}
