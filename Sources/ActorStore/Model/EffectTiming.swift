/// When an effect begins that is asked for again and again: a debounce or a throttle.
@usableFromInline
struct EffectTiming: Sendable {
    enum Kind: Sendable {
        /// When nothing was asked for during the interval, but not longer than this after the first.
        case debounce(maxWait: Duration?)
        /// Once in each interval: at once, and at the end of it the latest, if there is to be one.
        case throttle(latest: Bool)
    }

    let kind: Kind
    let interval: Duration
    let clock: any Clock<Duration>

    init(kind: Kind, interval: Duration, clock: any Clock<Duration>) {
        // So that no sum of times overflows.
        if case .debounce(let maxWait) = kind {
            self.kind = .debounce(maxWait: maxWait?.boundedWait)
        } else {
            self.kind = kind
        }
        self.interval = interval.boundedWait
        self.clock = clock
    }

    /// Tells how much time has passed since now.
    func stopwatch() -> Stopwatch { Stopwatch(clock) }
}

/// Tells how much time has passed on a clock since it was made.
struct Stopwatch: Sendable {
    let elapsed: @Sendable () -> Duration

    init(_ clock: any Clock<Duration>) {
        self.init(of: clock)
    }

    private init<C: Clock>(of clock: C) where C.Duration == Duration {
        let start = clock.now
        elapsed = { start.duration(to: clock.now) }
    }
}

/// The intervals of a throttle: a plain value.
struct ThrottleWindow {
    /// When an effect may begin.
    enum Beginning: Equatable {
        case now
        case after(Duration)
        case never
    }

    private let stopwatch: Stopwatch
    /// When the last effect began, and with it the interval.
    private var start: Duration = .zero
    /// The longest interval that was asked for.
    private var longest: Duration

    /// The first interval begins now.
    init(_ timing: EffectTiming) {
        stopwatch = timing.stopwatch()
        longest = timing.interval
    }

    /// Says when an effect may begin that is asked for now. If that is now, the next interval begins; if it is later,
    /// the next interval begins with ``begin(before:)``.
    mutating func admit(interval: Duration, latest: Bool) -> Beginning {
        longest = max(longest, interval)
        let now = stopwatch.elapsed()
        if now >= start + interval {
            start = now
            return .now
        }
        return latest ? .after(start + interval - now) : .never
    }

    /// Records the interval of a request that is dropped because another one waits.
    mutating func reject(interval: Duration) { longest = max(longest, interval) }

    /// Takes note that an effect which had to wait began so long ago, which can be later than it was to begin.
    mutating func begin(before duration: Duration) { start = stopwatch.elapsed() - duration }

    /// Whether an interval of this length is over.
    func isOver(after interval: Duration) -> Bool { stopwatch.elapsed() >= start + interval }

    /// Whether every interval is over that was asked for, so that it can be forgotten if nothing waits.
    var isOver: Bool { isOver(after: longest) }
}
