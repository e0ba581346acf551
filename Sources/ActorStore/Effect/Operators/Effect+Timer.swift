extension Effect {
    /// Sends an action again and again, until it is cancelled.
    ///
    /// ```swift
    /// return .timer(id: "poll", policy: .cancelInFlight, every: .seconds(30)) { tick in
    ///     tick.missed > 0 ? .pollLate(by: tick.missed) : .poll
    /// }
    /// ```
    ///
    /// Ticks have intended times: one interval after the timer began, two, three and so on. Each wait is for an
    /// intended time, so a tick that is late does not make later ones late, and there is no drift. If a tick is so late
    /// that further intended times have gone by, there is one tick for all of them, which says how many it stands for,
    /// and the next one comes at the next intended time: ticks are not caught up on.
    ///
    /// - Parameters:
    ///   - id: Names the timer, so that it can be cancelled.
    ///   - policy: What happens if work with the same identity is still running.
    ///   - interval: The time between ticks; more than nothing.
    ///   - tolerance: By how much a tick may be late; nil leaves that to the clock.
    ///   - clock: Measures the time; a test gives one of its own.
    ///   - priority: The priority of its task; nil takes that of the dispatcher.
    ///   - fileID: Where the effect is written; leave the default.
    ///   - line: Where the effect is written; leave the default.
    ///   - action: Makes the action of a tick, or nil to send none.
    public static func timer(
        id: (any Hashable & Sendable)? = nil,
        policy: EffectPolicy = .concurrent,
        every interval: Duration,
        tolerance: Duration? = nil,
        clock: any Clock<Duration> = ContinuousClock(),
        priority: TaskPriority? = nil,
        fileID: String = #fileID,
        line: UInt = #line,
        _ action: @escaping @Sendable (_ tick: TimerTick) -> Action?
    ) -> Effect {
        guard interval > .zero else {
            fatalError("Effect.timer(every: \(interval)) has no interval. Give a duration longer than zero.")
        }
        return run(id: id, policy: policy, priority: priority, fileID: fileID, line: line) { send in
            try await tick(on: clock, TimerSchedule(interval: interval), tolerance?.boundedWait) { tick in
                if let action = action(tick) { send(action) }
            }
        }
    }

    /// Sends the same action again and again, until it is cancelled: `.timer(every: .seconds(1), send: .tick)`.
    ///
    /// See ``timer(id:policy:every:tolerance:clock:priority:fileID:line:_:)`` for when that is, and for the parameters.
    public static func timer(
        id: (any Hashable & Sendable)? = nil,
        policy: EffectPolicy = .concurrent,
        every interval: Duration,
        tolerance: Duration? = nil,
        clock: any Clock<Duration> = ContinuousClock(),
        priority: TaskPriority? = nil,
        fileID: String = #fileID,
        line: UInt = #line,
        send action: Action
    ) -> Effect {
        timer(
            id: id,
            policy: policy,
            every: interval,
            tolerance: tolerance,
            clock: clock,
            priority: priority,
            fileID: fileID,
            line: line
        ) { _ in action }
    }

    private static func tick<C: Clock<Duration>>(
        on clock: C,
        _ schedule: TimerSchedule,
        _ tolerance: Duration?,
        _ body: @Sendable (TimerTick) -> Void
    ) async throws {
        var schedule = schedule
        let start = clock.now
        while true {
            try await clock.sleep(until: start.advanced(by: schedule.nextOffset), tolerance: tolerance)
            // There are clocks that do not throw when a sleeper is cancelled whose time has come.
            if CurrentEffect.isCancelled { return }
            body(schedule.tick(at: start.duration(to: clock.now)))
        }
    }
}

/// One tick of an ``Effect/timer(id:policy:every:tolerance:clock:priority:fileID:line:_:)``.
public struct TimerTick: Sendable, Hashable {
    /// The number of the intended time that this tick stands for: that of the first one, an interval after the timer
    /// began, is 1.
    public let number: Int
    /// How many intended times went by without a tick between the tick before this one and this one, because the timer
    /// was not woken in time.
    public let missed: Int
}

/// Which tick comes when. A plain value.
struct TimerSchedule {
    let interval: Duration
    /// That of the last tick, or 0.
    private(set) var lastNumber = 0

    init(interval: Duration) { self.interval = interval.boundedWait }

    /// How long after the beginning of the timer the next tick is due.
    var nextOffset: Duration { interval * nextNumber }

    /// The numbers end where those of an `Int` do, for intervals far shorter than any clock can measure.
    private var nextNumber: Int { lastNumber < .max ? lastNumber + 1 : .max }

    /// The tick of a timer that was woken so long after its beginning: one for all intended times that are over, as
    /// long as there is at least the next one.
    mutating func tick(at offset: Duration) -> TimerTick {
        let next = nextNumber
        let passed = Int(clamping: offset.attoseconds / interval.attoseconds)
        // A clock may wake a sleeper a trifle too early.
        let number = max(next, passed)
        lastNumber = number
        return TimerTick(number: number, missed: number - next)
    }
}
