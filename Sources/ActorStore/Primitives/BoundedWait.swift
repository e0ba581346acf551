extension Duration {
    /// No wait is longer than this: a hundred years.
    static let longestWait = Duration.seconds(100 * 366 * 24 * 60 * 60)
}

extension DurationProtocol {
    /// The duration as one that every clock can wait for: at most a hundred years.
    ///
    /// Clocks add a wait to their time, and trap when the sum is more than they can count. That must not happen to a
    /// program because of a number that it was given.
    package var boundedWait: Self {
        // The durations of other clocks have limits that only they know.
        guard let duration = self as? Duration else { return self }
        return min(max(duration, .zero - .longestWait), .longestWait) as? Self ?? self
    }
}
