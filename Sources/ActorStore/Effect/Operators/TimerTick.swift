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

    /// The tick of a timer that was woken so long after its beginning: one for all intended times that are over, as long
    /// as there is at least the next one.
    mutating func tick(at offset: Duration) -> TimerTick {
        let next = nextNumber
        let passed = Int(clamping: offset.attoseconds / interval.attoseconds)
        // A clock may wake a sleeper a trifle too early.
        let number = max(next, passed)
        lastNumber = number
        return TimerTick(number: number, missed: number - next)
    }
}
