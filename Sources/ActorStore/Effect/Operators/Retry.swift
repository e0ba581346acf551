/// Runs an operation, and again when it fails, as a policy says.
///
/// ```swift
/// let user = try await retry(policy) { attempt in
///     log.debug("attempt \(attempt.number)")
///     return try await users.load(id)
/// }
/// ```
///
/// Cancellation is never retried: neither an error that says so (a `CancellationError`, ``StoreError/cancelled`` or
/// ``WaitError/cancelled``), nor any error when the task has been cancelled. A wait between attempts ends at once when
/// the task is cancelled.
///
/// - Parameters:
///   - policy: How often, and after which waits.
///   - clock: Measures the waits; a test gives one of its own.
///   - random: Where the jitter comes from; with a seed it is the same each time.
///   - isRetried: Whether there is another attempt after this error; all errors by default.
///   - operation: What to run, on the caller's actor. It is told which attempt it is.
///   - isolation: The caller's actor, on which this runs; leave the default.
/// - Returns: what the operation returns in the end.
/// - Throws: the error of the last attempt; a `CancellationError` if the task was cancelled during a wait.
public func retry<Value>(
    _ policy: RetryPolicy,
    clock: any Clock<Duration> = ContinuousClock(),
    random: any RandomNumberGenerator & Sendable = SystemRandomNumberGenerator(),
    isolation: isolated (any Actor)? = #isolation,
    if isRetried: (_ error: any Error) -> Bool = { _ in true },
    operation: nonisolated(nonsending) (_ attempt: RetryAttempt) async throws -> Value
) async throws -> Value {
    var random = random
    var attempt = RetryAttempt(number: 1, maxAttempts: policy.maxAttempts, previousError: nil)
    while true {
        do {
            return try await RetryAttempt.$inForce.withIsolatedValue(attempt) { try await operation(attempt) }
        } catch {
            guard !Task.isCancelled, !error.saysCancelled, isRetried(error),
                let wait = policy.wait(afterAttempt: attempt.number, using: &random)
            else { throw error }
            // Without a wait, others get their turn all the same.
            if wait > .zero { try await clock.sleep(for: wait) } else { await Task.yield() }
            try Task.checkCancellation()
            attempt = RetryAttempt(number: attempt.number + 1, maxAttempts: policy.maxAttempts, previousError: error)
        }
    }
}

extension Error {
    /// Whether it says that the work which throws it was cancelled.
    fileprivate var saysCancelled: Bool {
        self is CancellationError || self as? StoreError == .cancelled || self as? WaitError == .cancelled
    }
}

/// How often failed work is tried again, and after which waits.
///
/// ```swift
/// let policy = RetryPolicy(
///     maxAttempts: 5,
///     backoff: .exponential(base: .milliseconds(200), cap: .seconds(10)),
///     jitter: .full
/// )
/// return .task { .loaded(try await users.load(id)) }.retry(policy) { error in error is ConnectionError }
/// ```
public struct RetryPolicy: Sendable, Hashable {
    /// How many attempts there are at most, the first included.
    package let maxAttempts: Int
    /// How the waits between them grow.
    package let backoff: RetryBackoff
    /// How the waits are spread.
    package let jitter: RetryJitter

    /// Creates a policy.
    ///
    /// - Parameters:
    ///   - maxAttempts: How many attempts there are at most, the first included; at least 1. Less is a programmer
    ///     error, and traps. `.max` for attempts without end.
    ///   - backoff: How the waits between them grow.
    ///   - jitter: How the waits are spread.
    public init(maxAttempts: Int, backoff: RetryBackoff = .none, jitter: RetryJitter = .none) {
        guard maxAttempts >= 1 else {
            fatalError("RetryPolicy(maxAttempts: \(maxAttempts)) allows no attempt. Give a number of at least 1.")
        }
        self.maxAttempts = maxAttempts
        self.backoff = backoff
        self.jitter = jitter
    }

    /// How long to wait after a failed attempt.
    ///
    /// - Parameters:
    ///   - attempt: The number of the attempt; that of the first is 1. Less is a programmer error, and traps.
    ///   - generator: Where the jitter comes from.
    /// - Returns: the wait; nil if that was the last attempt.
    /// - Complexity: O(log *attempt*)
    public func wait(afterAttempt attempt: Int, using generator: inout some RandomNumberGenerator) -> Duration? {
        guard attempt >= 1 else {
            fatalError("RetryPolicy.wait(afterAttempt: \(attempt)) has no attempt. Count attempts from 1.")
        }
        guard attempt < maxAttempts else { return nil }
        return min(jitter.spread(backoff.wait(afterAttempt: attempt), using: &generator), backoff.cap)
    }
}

/// How the waits between attempts grow.
public struct RetryBackoff: Sendable, Hashable {
    enum Kind: Hashable, Sendable {
        case none
        case constant(Duration)
        case exponential(base: Duration, multiplier: Double)
    }

    let kind: Kind
    /// No wait is longer.
    let cap: Duration

    private init(kind: Kind, cap: Duration? = nil) {
        self.kind = kind
        self.cap = (cap ?? .longestWait).boundedWait
    }

    /// The next attempt begins at once.
    public static let none = RetryBackoff(kind: .none)

    /// Always the same wait.
    ///
    /// - Parameter duration: The wait; at least zero. Less is a programmer error, and traps.
    public static func constant(_ duration: Duration) -> RetryBackoff {
        guard duration >= .zero else {
            fatalError("RetryBackoff.constant(\(duration)) is negative. Give a duration of at least zero.")
        }
        return RetryBackoff(kind: .constant(duration))
    }

    /// Waits that grow by a factor: `base`, `base * multiplier`, `base * multiplier * multiplier`, and so on.
    ///
    /// - Parameters:
    ///   - base: The wait after the first attempt; at least zero. Less is a programmer error, and traps.
    ///   - multiplier: The factor; at least 1. Less is a programmer error, and traps.
    ///   - cap: No wait is longer than this, jitter included; nil for no limit. Less than zero is a programmer error,
    ///     and traps.
    public static func exponential(base: Duration, multiplier: Double = 2, cap: Duration? = nil) -> RetryBackoff {
        guard base >= .zero else {
            fatalError("RetryBackoff.exponential(base: \(base)) is negative. Give a duration of at least zero.")
        }
        guard multiplier >= 1 else {
            fatalError("RetryBackoff.exponential(multiplier: \(multiplier)) shrinks. Give a factor of at least 1.")
        }
        if let cap, cap < .zero {
            fatalError("RetryBackoff.exponential(cap: \(cap)) is negative. Give a duration of at least zero, or nil.")
        }
        return RetryBackoff(kind: .exponential(base: base, multiplier: multiplier), cap: cap)
    }

    /// The wait after an attempt, the first of which is 1.
    func wait(afterAttempt attempt: Int) -> Duration {
        switch kind {
        case .none: .zero
        case .constant(let duration): min(duration, cap)
        case .exponential(let base, let multiplier):
            min(base.multiplied(by: multiplier, toThePowerOf: attempt - 1), cap)
        }
    }
}

extension Duration {
    /// The product, or the longest duration if it is longer than that. Exact if the power is a whole number.
    fileprivate func multiplied(by multiplier: Double, toThePowerOf exponent: Int) -> Duration {
        let longest = Duration(attoseconds: .max)
        let power = multiplier.power(exponent)
        guard power.isFinite else { return self == .zero ? .zero : longest }
        if let factor = Int128(exactly: power) {
            let (product, overflow) = attoseconds.multipliedReportingOverflow(by: factor)
            return overflow ? longest : Duration(attoseconds: product)
        }
        let product = Double(attoseconds) * power
        return product < Double(Int128.max) ? Duration(attoseconds: Int128(product)) : longest
    }
}

extension Double {
    fileprivate func power(_ exponent: Int) -> Double {
        var (result, square, rest) = (1.0, self, exponent)
        while rest > 0 {
            if rest & 1 == 1 { result *= square }
            square *= square
            rest >>= 1
        }
        return result
    }
}

/// How the waits between attempts are spread at random, so that many who failed together do not come back together.
public struct RetryJitter: Sendable, Hashable {
    enum Kind: Hashable, Sendable {
        case none
        case full
        case equal
        case proportional(Double)
    }

    let kind: Kind

    /// Not at all.
    public static let none = RetryJitter(kind: .none)

    /// Anything from nothing to the whole wait.
    public static let full = RetryJitter(kind: .full)

    /// Anything from half of the wait to the whole.
    public static let equal = RetryJitter(kind: .equal)

    /// Up to a part of the wait less or more: with 0.1, between 90 % and 110 %.
    ///
    /// - Parameter fraction: The part, from 0 to 1. Anything else is a programmer error, and traps.
    public static func proportional(_ fraction: Double) -> RetryJitter {
        guard (0...1).contains(fraction) else {
            fatalError("RetryJitter.proportional(\(fraction)) is out of range. Give a fraction from 0 to 1.")
        }
        return RetryJitter(kind: .proportional(fraction))
    }

    /// One of the waits that `wait` stands for.
    func spread(_ wait: Duration, using generator: inout some RandomNumberGenerator) -> Duration {
        let whole = wait.attoseconds
        switch kind {
        case .none:
            return wait
        case .full:
            return Duration(attoseconds: Int128.random(in: 0...whole, using: &generator))
        case .equal:
            return Duration(attoseconds: Int128.random(in: whole / 2...whole, using: &generator))
        case .proportional(let fraction):
            let part = min(Int128(Double(whole) * fraction), whole)
            return Duration(attoseconds: whole + Int128.random(in: -part...part, using: &generator))
        }
    }
}

/// Which attempt of something that is tried again and again is being made.
public struct RetryAttempt: Sendable {
    /// The number of the attempt; that of the first is 1.
    public let number: Int
    /// How many attempts there are at most.
    public let maxAttempts: Int
    /// Why the attempt before this one failed; nil for the first.
    public let previousError: (any Error)?

    @TaskLocal static var inForce: RetryAttempt?

    /// That of the innermost retry which this task is part of; nil outside of all.
    ///
    /// It lets the body of ``Effect/retry(_:clock:random:if:)`` know, and whatever it calls, such as a
    /// logger.
    public static var current: RetryAttempt? { inForce }
}

extension Effect {
    /// The same effect, with another attempt at each piece of work that fails, as a policy says.
    ///
    /// ```swift
    /// return .task { .loaded(try await users.load(id)) } catch: { _ in .loadingFailed }
    ///     .retry(RetryPolicy(maxAttempts: 3, backoff: .exponential(base: .seconds(1)), jitter: .full))
    /// ```
    ///
    /// The attempts are one piece of work, with one identity: it is cancelled as a whole, also while it waits, and then
    /// it ends at once. Cancellation is never retried, nor is work that has shut its own store down, which takes
    /// nothing of it any more. The error of the last attempt goes where errors of this work go; those of the others go
    /// nowhere, but ``RetryAttempt/current`` has the one before. What a failed attempt has sent stays sent.
    ///
    /// - Parameters:
    ///   - policy: How often, and after which waits.
    ///   - clock: Measures the waits; a test gives one of its own.
    ///   - random: Where the jitter comes from; with a seed it is the same each time that the effect runs.
    ///   - isRetried: Whether there is another attempt after this error; all errors by default.
    /// - Complexity: O(*n*), where *n* is the number of effects of which this one is composed.
    public func retry(
        _ policy: RetryPolicy,
        clock: any Clock<Duration> = ContinuousClock(),
        random: any RandomNumberGenerator & Sendable = SystemRandomNumberGenerator(),
        if isRetried: @escaping @Sendable (_ error: any Error) -> Bool = { _ in true }
    ) -> Effect {
        mapWork { work in
            let body = work.body
            work.body = { send in
                try await ActorStore.retry(policy, clock: clock, random: random) { error in
                    !CurrentEffect.isCancelled && isRetried(error)
                } operation: { _ in
                    try CurrentEffect.checkCancellation()
                    try await body(send)
                }
            }
        }
    }
}
