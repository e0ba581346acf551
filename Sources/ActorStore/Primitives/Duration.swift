extension Duration {
    /// The longest possible wait: a hundred years.
    static let longestWait = Duration.seconds(100 * 366 * 24 * 60 * 60)
}

extension DurationProtocol {
    /// The duration, limited to what every clock can wait for: at most a hundred years.
    ///
    /// Clocks add a wait to their time, and trap if the sum overflows. A large argument must not crash a program.
    package var boundedWait: Self {
        // The limits of other clocks' durations are unknown.
        guard let duration = self as? Duration else { return self }
        return min(max(duration, .zero - .longestWait), .longestWait) as? Self ?? self
    }
}

extension Duration {
    /// The duration in seconds, rounded to milliseconds: `7.417 seconds`. The description of `Duration` has all digits
    /// of a floating-point number: `7.417427332999999 seconds`.
    var secondsText: String {
        let unit: Int128 = 1_000_000_000_000_000
        let (milliseconds, sign) = (
            (attoseconds.magnitude + unit.magnitude / 2) / unit.magnitude, attoseconds < 0 ? "-" : ""
        )
        let (seconds, rest) = milliseconds.quotientAndRemainder(dividingBy: 1_000)
        var digits = String(1_000 + rest).dropFirst()
        while digits.count > 1, digits.last == "0" { digits.removeLast() }
        return "\(sign)\(seconds).\(digits) seconds"
    }
}

/// A measurement of the time since its creation, by a clock.
package struct Stopwatch: Sendable {
    package let elapsed: @Sendable () -> Duration

    package init(_ clock: any Clock<Duration>) {
        self.init(of: clock)
    }

    private init<C: Clock>(of clock: C) where C.Duration == Duration {
        let start = clock.now
        elapsed = { start.duration(to: clock.now) }
    }
}
