public import Foundation

/// A clock of calendar time: its instants are dates, which have the same meaning after a restart and on other machines.
///
/// Use it for deadlines at a date: `.delay(until: auction.end, clock: clock)`. For durations, such as a timeout, use a
/// `ContinuousClock`, which cannot be set.
///
/// In tests, use a wall clock that another clock drives, ``init(startingAt:by:)``.
public struct WallClock: Clock {
    /// A date. Differences are exact to the microsecond. It is encoded like a `Date`.
    public struct Instant: InstantProtocol, Codable {
        /// The date.
        public var date: Date

        /// Creates an instant from a date.
        public init(_ date: Date) { self.date = date }

        /// Returns the instant that is later by a duration.
        public func advanced(by duration: Duration) -> Instant {
            Instant(date.addingTimeInterval(duration / .seconds(1)))
        }

        /// Returns the duration to another instant.
        public func duration(to other: Instant) -> Duration {
            let microseconds = (other.date.timeIntervalSince(date) * 1e6).rounded()
            // Dates can differ by more than a duration in microseconds can hold.
            return .microseconds(Int64(exactly: microseconds) ?? (microseconds < 0 ? .min : .max))
        }

        /// Returns whether an instant is before another one.
        public static func < (left: Instant, right: Instant) -> Bool { left.date < right.date }

        /// Decodes a date.
        public init(from decoder: any Decoder) throws { date = try Date(from: decoder) }

        /// Encodes the date.
        public func encode(to encoder: any Encoder) throws { try date.encode(to: encoder) }
    }

    private let date: @Sendable () -> Date
    private let wait: @Sendable (_ deadline: Instant, _ tolerance: Duration?) async throws -> Void

    /// Creates a clock that follows the system clock.
    ///
    /// The system clock can be set. A task that sleeps until a date checks the system clock every 30 seconds. So it
    /// wakes at most 30 seconds late if the clock was set forward, and not early if the clock was set back.
    public init() { self.init(date: { Date() }, by: ContinuousClock()) }

    /// - Parameters:
    ///   - date: Returns the current date.
    ///   - clock: The clock by which tasks sleep between two checks of the date.
    init(date: @escaping @Sendable () -> Date, by clock: any Clock<Duration>) {
        self.date = date
        wait = { deadline, tolerance in
            while true {
                let now = Instant(date())
                guard now < deadline else { return }
                // Also when the deadline is less than half a microsecond away.
                let remaining = max(now.duration(to: deadline), .microseconds(1))
                try await clock.sleep(for: min(remaining, .seconds(30)), tolerance: tolerance)
            }
        }
    }

    /// Creates a clock that another clock drives, such as a `TestClock`.
    ///
    /// ```swift
    /// let testClock = TestClock()
    /// let clock = WallClock(startingAt: Date(timeIntervalSince1970: 0), by: testClock)
    /// ```
    ///
    /// - Parameters:
    ///   - date: The date at the other clock's current instant.
    ///   - other: The clock that measures the time from then on.
    public init<C: Clock>(startingAt date: Date, by other: C) where C.Duration == Duration {
        let start = other.now
        self.date = { Instant(date).advanced(by: start.duration(to: other.now)).date }
        wait = { deadline, tolerance in
            var time = max(Instant(date).duration(to: deadline), .seconds(-1e9))
            // The difference is rounded, and dates can lie between two microseconds.
            if Instant(date).advanced(by: time) < deadline { time += .microseconds(1) }
            // In parts, because some clocks have a smaller range.
            repeat {
                let part = start.duration(to: other.now) + .seconds(1e10)
                try await other.sleep(until: start.advanced(by: min(time, part)), tolerance: tolerance)
            } while start.duration(to: other.now) < time
        }
    }

    /// The current date.
    public var now: Instant { Instant(date()) }

    /// The smallest difference between two distinct dates.
    public var minimumResolution: Duration { .microseconds(1) }

    /// Waits until a date. The clock is not before the date when this returns.
    ///
    /// - Parameters:
    ///   - deadline: The date.
    ///   - tolerance: The allowed delay; nil leaves it to the clock that measures the wait.
    /// - Throws: A `CancellationError` if the task is cancelled meanwhile.
    public func sleep(until deadline: Instant, tolerance: Duration? = nil) async throws {
        try Task.checkCancellation()
        try await wait(deadline, tolerance)
    }
}
