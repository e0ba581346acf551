public import Foundation

/// The clock on the wall: its points in time are dates, which mean the same after a restart and on another machine.
///
/// It is for what is due at a date: `.delay(until: auction.end, clock: clock)`. For what takes a time, such as a
/// timeout, a `ContinuousClock` is right, because nobody sets that.
///
/// A test has one that another clock moves, ``init(startingAt:by:)``.
public struct WallClock: Clock {
    /// A date. Distances to others are told to the microsecond. It is encoded as `Date` is.
    public struct Instant: InstantProtocol, Codable {
        /// The date.
        public var date: Date

        /// Creates a point in time.
        public init(_ date: Date) { self.date = date }

        /// The point in time so much later.
        public func advanced(by duration: Duration) -> Instant {
            Instant(date.addingTimeInterval(duration / .seconds(1)))
        }

        /// How much later the other one is.
        public func duration(to other: Instant) -> Duration {
            let microseconds = (other.date.timeIntervalSince(date) * 1e6).rounded()
            // Dates can be further apart than this tells.
            return .microseconds(Int64(exactly: microseconds) ?? (microseconds < 0 ? .min : .max))
        }

        /// Whether a point in time is before another one.
        public static func < (left: Instant, right: Instant) -> Bool { left.date < right.date }

        /// Decodes a date.
        public init(from decoder: any Decoder) throws { date = try Date(from: decoder) }

        /// Encodes the date.
        public func encode(to encoder: any Encoder) throws { try date.encode(to: encoder) }
    }

    private let date: @Sendable () -> Date
    private let wait: @Sendable (_ deadline: Instant, _ tolerance: Duration?) async throws -> Void

    /// Creates the clock of the machine.
    ///
    /// That can be set. Who sleeps until a date looks at it again every 30 seconds, and so wakes at most so much later
    /// than the machine says when it has been set forwards, and not earlier when it has been set back.
    public init() { self.init(date: { Date() }, by: ContinuousClock()) }

    /// - Parameters:
    ///   - date: The date on the wall.
    ///   - clock: What sleepers sleep by between two looks at that.
    init(date: @escaping @Sendable () -> Date, by clock: any Clock<Duration>) {
        self.date = date
        wait = { deadline, tolerance in
            while true {
                let now = Instant(date())
                guard now < deadline else { return }
                // Also when that is less than half a microsecond away.
                let remaining = max(now.duration(to: deadline), .microseconds(1))
                try await clock.sleep(for: min(remaining, .seconds(30)), tolerance: tolerance)
            }
        }
    }

    /// Creates a clock that another one moves, such as a `TestClock`.
    ///
    /// ```swift
    /// let testClock = TestClock()
    /// let clock = WallClock(startingAt: Date(timeIntervalSince1970: 0), by: testClock)
    /// ```
    ///
    /// - Parameters:
    ///   - date: The date at the other clock's present time.
    ///   - other: Measures the time from then on.
    public init<C: Clock>(startingAt date: Date, by other: C) where C.Duration == Duration {
        let start = other.now
        self.date = { Instant(date).advanced(by: start.duration(to: other.now)).date }
        wait = { deadline, tolerance in
            var time = max(Instant(date).duration(to: deadline), .seconds(-1e9))
            // The distance is rounded, and dates can be between two microseconds.
            if Instant(date).advanced(by: time) < deadline { time += .microseconds(1) }
            // In parts, because some clocks count no further.
            repeat {
                let part = start.duration(to: other.now) + .seconds(1e10)
                try await other.sleep(until: start.advanced(by: min(time, part)), tolerance: tolerance)
            } while start.duration(to: other.now) < time
        }
    }

    /// The date now.
    public var now: Instant { Instant(date()) }

    /// The smallest difference between two dates that are told apart.
    public var minimumResolution: Duration { .microseconds(1) }

    /// Waits until a date has come; the clock is not before it then.
    ///
    /// - Parameters:
    ///   - deadline: The date.
    ///   - tolerance: How much later it may be; nil leaves that to the clock of the machine.
    /// - Throws: `CancellationError` if the task is cancelled meanwhile.
    public func sleep(until deadline: Instant, tolerance: Duration? = nil) async throws {
        try Task.checkCancellation()
        try await wait(deadline, tolerance)
    }
}
