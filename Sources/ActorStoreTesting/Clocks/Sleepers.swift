/// Who sleeps on a ``TestClock`` or a ``SimulatedClock``, and until when. A plain value.
struct Sleepers<Waiter> {
    /// What becomes of one who wants to sleep.
    enum Admission {
        case sleeps
        case isDue
        case wasCancelled
    }

    private struct Sleeper {
        let number: UInt64
        let deadline: Duration
        let waiter: Waiter
    }

    private(set) var now = Duration.zero
    /// By deadline, and those with the same in the order in which they came.
    private var sleeping: [Sleeper] = []
    /// Those that were cancelled before they slept.
    private var cancelled: Set<UInt64> = []
    private var lastNumber: UInt64 = 0

    var count: Int { sleeping.count }

    /// When the next one is woken; nil if nobody sleeps.
    var nextDeadline: Duration? { sleeping.first?.deadline }

    /// A number for one who is about to sleep.
    mutating func announce() -> UInt64 {
        lastNumber += 1
        return lastNumber
    }

    mutating func admit(_ number: UInt64, until deadline: Duration, _ waiter: Waiter) -> Admission {
        if cancelled.remove(number) != nil { return .wasCancelled }
        if deadline <= now { return .isDue }
        let place = sleeping.firstIndex { $0.deadline > deadline } ?? sleeping.endIndex
        sleeping.insert(Sleeper(number: number, deadline: deadline, waiter: waiter), at: place)
        return .sleeps
    }

    /// Wakes one before its time, or keeps it from falling asleep.
    mutating func cancel(_ number: UInt64) -> Waiter? {
        guard let place = sleeping.firstIndex(where: { $0.number == number }) else {
            cancelled.insert(number)
            return nil
        }
        return sleeping.remove(at: place).waiter
    }

    /// Takes note that a sleep is over, so that a cancellation which came too late is forgotten.
    mutating func forget(_ number: UInt64) { cancelled.remove(number) }

    /// Moves the time on, to the next deadline if that is not later than `end`.
    ///
    /// - Returns: those that are due then; none when the time is `end` and nobody is due any more.
    mutating func advance(upTo end: Duration) -> [Waiter] {
        guard let next = nextDeadline, next <= end else {
            now = max(now, end)
            return []
        }
        now = max(now, next)
        let due = sleeping.prefix { $0.deadline <= now }.map(\.waiter)
        sleeping.removeFirst(due.count)
        return due
    }

    /// Wakes all before their time.
    mutating func cancelAll() -> [Waiter] {
        defer { sleeping = [] }
        return sleeping.map(\.waiter)
    }
}
