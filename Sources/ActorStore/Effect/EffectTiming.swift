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

    /// Says when an effect may begin that is asked for now. If that is now, the next interval begins; if it is later, the
    /// next interval begins with ``begin(before:)``.
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

/// The intervals of the throttle of one identity, and what waits for the end of one. A plain value.
struct EffectThrottle {
    var window: ThrottleWindow
    /// What waits for the end of the interval, or has waited for it, and has not been settled since.
    var waiting: EffectJob?

    /// Whether it can be forgotten.
    var isOver: Bool { waiting == nil && window.isOver }

    /// What waits, if it gives way to a request: always to one that takes the latest. To another one only if that may begin
    /// now by its own interval, and the time of what waits has not come: then it is about to begin, however late that is.
    func yielding(to interval: Duration, latest: Bool) -> EffectJob? {
        guard let waiting, let ownInterval = waiting.timing?.interval else { return nil }
        return latest || window.isOver(after: interval) && !window.isOver(after: ownInterval) ? waiting : nil
    }

    /// Counts from when that began which has waited, unless it was cancelled before that.
    mutating func settle() {
        guard let job = waiting, !job.isWaiting else { return }
        if !job.gaveUpWaiting, let sinceBeginning = job.sinceBeginning {
            window.begin(before: sinceBeginning.elapsed())
        }
        waiting = nil
    }
}
