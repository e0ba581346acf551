extension Effect {
    /// Returns an effect that sends an action at regular intervals, until it is cancelled.
    ///
    /// ```swift
    /// return .timer(id: "poll", policy: .cancelInFlight, every: .seconds(30)) { tick in
    ///     tick.missed > 0 ? .pollLate(by: tick.missed) : .poll
    /// }
    /// ```
    ///
    /// Ticks have scheduled times: one, two, three intervals after the timer started, and so on. The timer always waits
    /// for a scheduled time, so a late tick does not delay later ones, and there is no drift. If a tick is so late that
    /// further scheduled times have passed, there is one tick for all of them, which reports how many it stands for,
    /// and the next tick comes at the next scheduled time: missed ticks are not repeated.
    ///
    /// - Parameters:
    ///   - id: The identity of the timer, for cancellation and for `policy`.
    ///   - policy: What happens if work with the same identity is still running.
    ///   - interval: The time between ticks. It must be greater than zero; otherwise this traps.
    ///   - tolerance: The maximum delay of a tick; nil for the default of the clock.
    ///   - clock: The clock that measures the time; a test can pass its own.
    ///   - priority: The priority of the task; nil for that of the dispatching task, or of the store's configuration if
    ///     the action was sent.
    ///   - fileID: The file in which the effect is written, for diagnostics.
    ///   - line: The line in which the effect is written, for diagnostics.
    ///   - action: A closure that returns the action of a tick, or nil to send none.
    /// - Returns: An effect.
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

    /// Returns an effect that sends the same action at regular intervals, until it is cancelled:
    /// `.timer(every: .seconds(1), send: .tick)`.
    ///
    /// Ticks have scheduled times, so a late tick does not delay later ones, and there is no drift. One tick stands for
    /// all scheduled times that have passed: missed ticks are not repeated.
    ///
    /// - Parameters:
    ///   - id: The identity of the timer, for cancellation and for `policy`.
    ///   - policy: What happens if work with the same identity is still running.
    ///   - interval: The time between ticks. It must be greater than zero; otherwise this traps.
    ///   - tolerance: The maximum delay of a tick; nil for the default of the clock.
    ///   - clock: The clock that measures the time; a test can pass its own.
    ///   - priority: The priority of the task; nil for that of the dispatching task, or of the store's configuration if
    ///     the action was sent.
    ///   - fileID: The file in which the effect is written, for diagnostics.
    ///   - line: The line in which the effect is written, for diagnostics.
    ///   - action: The action of each tick.
    /// - Returns: An effect.
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
            // Some clocks do not throw if a sleep is cancelled after its deadline has passed.
            if CurrentEffect.isCancelled { return }
            body(schedule.tick(at: start.duration(to: clock.now)))
        }
    }
}

/// A tick of an ``Effect/timer(id:policy:every:tolerance:clock:priority:fileID:line:_:)``.
public struct TimerTick: Sendable, Hashable {
    /// The number of the scheduled time of this tick. The first, one interval after the timer started, is 1.
    public let number: Int
    /// The number of scheduled times without a tick between the previous tick and this one, because the timer was not
    /// woken in time.
    public let missed: Int
}

/// The schedule of a timer, as a plain value.
struct TimerSchedule {
    let interval: Duration
    /// The number of the last tick, or 0.
    private(set) var lastNumber = 0

    init(interval: Duration) { self.interval = interval.boundedWait }

    /// The time from the start of the timer to the next tick.
    var nextOffset: Duration { interval * nextNumber }

    /// Saturates at the largest `Int`, which only intervals far shorter than any clock can measure would exceed.
    private var nextNumber: Int { lastNumber < .max ? lastNumber + 1 : .max }

    /// Returns the tick of a timer that was woken this long after its start: one for all scheduled times that have
    /// passed, and at least the next one.
    mutating func tick(at offset: Duration) -> TimerTick {
        let next = nextNumber
        let passed = Int(clamping: offset.attoseconds / interval.attoseconds)
        // A clock may wake a sleep slightly too early.
        let number = max(next, passed)
        lastNumber = number
        return TimerTick(number: number, missed: number - next)
    }
}
