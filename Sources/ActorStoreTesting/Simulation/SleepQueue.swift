/// Who sleeps until when, on a clock that jumps.
///
/// A plain value; ``SimulationExecutor`` has the lock around it.
struct SleepQueue<Waiter> {
    private struct Sleeper {
        let number: UInt64
        let deadline: Duration
        let waiter: Waiter
    }

    /// What became of one who wanted to sleep.
    enum Admission: Equatable {
        case asleep
        /// The deadline is not in the future.
        case due
        /// The sleep was cancelled before it began.
        case cancelled
    }

    private(set) var now: Duration = .zero
    /// The first to wake comes first; among equals the one who came first.
    private var sleepers: [Sleeper] = []
    private var cancelledBefore: Set<UInt64> = []
    private var lastNumber: UInt64 = 0
    /// Whether sleeping is over: everybody who sleeps, or wants to, is cancelled.
    private(set) var isClosed = false

    var isEmpty: Bool { sleepers.isEmpty }

    /// A number for one who is about to sleep, by which the sleep can be cancelled.
    mutating func makeNumber() -> UInt64 {
        lastNumber += 1
        return lastNumber
    }

    /// - Complexity: O(*n*) with *n* sleepers.
    mutating func add(_ number: UInt64, until deadline: Duration, _ waiter: Waiter) -> Admission {
        if cancelledBefore.remove(number) != nil || isClosed { return .cancelled }
        if deadline <= now { return .due }
        // Most come in the order of their deadlines.
        let index = sleepers.lastIndex { $0.deadline <= deadline }.map { $0 + 1 } ?? 0
        sleepers.insert(Sleeper(number: number, deadline: deadline, waiter: waiter), at: index)
        return .asleep
    }

    /// Cancels a sleep, if it has not ended; also one that is still to begin.
    ///
    /// - Returns: who slept.
    mutating func cancel(_ number: UInt64) -> Waiter? {
        guard let index = sleepers.firstIndex(where: { $0.number == number }) else {
            cancelledBefore.insert(number)
            return nil
        }
        return sleepers.remove(at: index).waiter
    }

    /// Forgets about a sleep that has ended, so that a cancellation that came too late leaves nothing behind.
    mutating func forget(_ number: UInt64) { cancelledBefore.remove(number) }

    /// Jumps to the next deadline.
    ///
    /// - Returns: those whose time has come, in the order in which they came; none if nobody sleeps.
    mutating func jump() -> [Waiter] {
        guard let first = sleepers.first else { return [] }
        now = first.deadline
        let count = sleepers.prefix { $0.deadline == first.deadline }.count
        defer { sleepers.removeFirst(count) }
        return sleepers.prefix(count).map(\.waiter)
    }

    /// Ends all sleep, from now on.
    ///
    /// - Returns: who slept.
    mutating func close() -> [Waiter] {
        isClosed = true
        defer { sleepers = [] }
        return sleepers.map(\.waiter)
    }
}
