/// What the times of instruments are measured with: a clock and its zero.
///
/// Stores that are given the same one have times that can be compared.
public struct InstrumentClock: Sendable {
    /// The time since zero. Called several times for each action, in the turn and by senders, which can be reducers: it
    /// must not read a store.
    public let now: @Sendable () -> Duration

    /// The continuous clock; zero is when it is first used in the process.
    public static let continuous: InstrumentClock = {
        let start = ContinuousClock.now
        return InstrumentClock { ContinuousClock.now - start }
    }()

    /// Measures with a closure.
    ///
    /// - Parameter now: The time since some moment that stays the same. It must never go back.
    public init(now: @escaping @Sendable () -> Duration) {
        self.now = now
    }

    /// Measures with a clock; zero is now.
    ///
    /// - Parameter clock: A test gives one here that it moves itself.
    public init(_ clock: any Clock<Duration>) {
        now = Stopwatch(clock).elapsed
    }
}
