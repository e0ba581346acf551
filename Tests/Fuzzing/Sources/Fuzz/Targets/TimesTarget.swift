import ActorStoreCommands

@testable import ActorStore

/// Backoffs, retry policies, throttles and timers with any durations: nothing overflows, and no wait exceeds its limit.
enum TimesTarget {
    static func run(_ bytes: inout Bytes) {
        switch bytes.below(5) {
        case 0: backoff(&bytes)
        case 1: retry(&bytes)
        case 2: throttle(&bytes)
        case 3: timer(&bytes)
        default: rules(&bytes)
        }
    }

    private static func backoff(_ bytes: inout Bytes) {
        let limit = bytes.duration()
        let backoff = EffectBackoff.exponential(base: bytes.duration(), factor: bytes.number(), limit: limit)
        var last = Duration.zero
        let numbers = (0..<8).map { _ in bytes.number() }.sorted()
        for number in numbers {
            let delay = backoff.delay(beforeAttempt: number)
            demand(delay >= last, "A later attempt waits less.")
            demand(delay <= max(.zero, min(limit, EffectBackoff.longest)), "It waits longer than the limit.")
            last = delay
        }
    }

    private static func retry(_ bytes: inout Bytes) {
        let cap: Duration? = bytes.isTrue() ? bytes.wait() : nil
        let multiplier = max(1, Double(bitPattern: bytes.word()))
        let backoffs: [RetryBackoff] = [
            .none, .constant(bytes.wait()),
            .exponential(base: bytes.wait(), multiplier: multiplier.isNaN ? 2 : multiplier, cap: cap),
        ]
        let jitters: [RetryJitter] = [.none, .full, .equal, .proportional(Double(bytes.byte()) / 255)]
        let (backoff, jitter) = (backoffs[bytes.below(3)], jitters[bytes.below(4)])
        let policy = RetryPolicy(maxAttempts: max(1, bytes.number()), backoff: backoff, jitter: jitter)
        var generator = SystemRandomNumberGenerator()
        for _ in 0..<8 {
            let attempt = max(1, bytes.number())
            let wait = policy.wait(afterAttempt: attempt, using: &generator)
            demand((wait == nil) == (attempt >= policy.maxAttempts), "The last attempt is another one.")
            demand(wait ?? .zero >= .zero && wait ?? .zero <= backoff.cap, "The wait is \(String(describing: wait)).")
        }
    }

    private static func throttle(_ bytes: inout Bytes) {
        let clock = ManualTime()
        let latest = bytes.isTrue()
        let timing = EffectTiming(kind: .throttle(latest: latest), interval: bytes.duration(), clock: clock)
        let interval = timing.interval
        var window = ThrottleWindow(timing)
        while bytes.next() != nil {
            clock.advance(by: bytes.wait())
            let beginning = window.admit(interval: interval, latest: latest)
            if case .after(let wait) = beginning {
                demand(latest && wait > .zero && wait <= interval, "It waits \(wait).")
                if bytes.isTrue() { window.begin(before: .zero) }
            }
            _ = window.isOver
        }
    }

    private static func timer(_ bytes: inout Bytes) {
        let clock = ManualTime()
        var schedule = TimerSchedule(interval: max(bytes.wait(), Duration(attoseconds: 1)))
        var last = 0
        while bytes.next() != nil {
            clock.advance(by: bytes.wait())
            _ = schedule.nextOffset
            let tick = schedule.tick(at: ManualTime.Instant(offset: .zero).duration(to: clock.now))
            demand(tick.number >= last && tick.missed >= 0, "After the tick \(last) comes \(tick).")
            last = tick.number
        }
    }

    /// The machine's decisions about debounces and throttles of effects.
    private static func rules(_ bytes: inout Bytes) {
        let clock = ManualTime()
        var machine = EffectMachine()
        var running: [EffectJob] = []
        while let operation = bytes.next() {
            clock.advance(by: bytes.wait())
            let effect: Effect<Int> = .run { _ in }
            let maxWait: Duration? = bytes.isTrue() ? bytes.duration() : nil
            let timed =
                operation.isMultiple(of: 2)
                ? effect.debounce(id: 0, for: bytes.duration(), maxWait: maxWait, clock: clock)
                : effect.throttle(id: 1, for: bytes.duration(), latest: bytes.isTrue(), clock: clock)
            if let operation = timed.operation { _ = machine.begin(operation) { _ in { _ in nil } } }
            running += machine.takeOutput().starts
            if bytes.isTrue() { end(&running, &machine) }
        }
        end(&running, &machine)
    }

    /// Ends the tasks.
    private static func end(_ running: inout [EffectJob], _ machine: inout EffectMachine) {
        for job in running {
            _ = job.endWaiting()
            machine.end(job)
        }
        running = []
    }
}
