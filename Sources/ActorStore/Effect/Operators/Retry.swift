/// Runs an operation, and retries it according to a policy if it fails.
///
/// ```swift
/// let user = try await retry(policy) { attempt in
///     log.debug("attempt \(attempt.number)")
///     return try await users.load(id)
/// }
/// ```
///
/// Cancellation is never retried: neither an error that reports it (a `CancellationError`, ``StoreError/cancelled`` or
/// ``WaitError/cancelled``), nor any error after the task has been cancelled. A wait between attempts ends immediately
/// when the task is cancelled.
///
/// - Parameters:
///   - policy: The number of attempts, and the waits between them.
///   - clock: The clock that measures the waits; a test can pass its own.
///   - random: The source of the jitter. A seeded generator produces the same waits each time.
///   - isolation: The actor on which this runs; by default the caller's.
///   - isRetried: A closure that returns whether to retry after an error; by default all errors are retried.
///   - operation: The operation. It runs on the caller's actor and receives the current attempt.
/// - Returns: The result of the first successful attempt.
/// - Throws: The error of the last attempt; a `CancellationError` if the task was cancelled during a wait.
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
            // Yields even without a wait, so that other tasks can run.
            if wait > .zero { try await clock.sleep(for: wait) } else { await Task.yield() }
            try Task.checkCancellation()
            attempt = RetryAttempt(number: attempt.number + 1, maxAttempts: policy.maxAttempts, previousError: error)
        }
    }
}

extension Error {
    /// Whether the error reports a cancellation.
    fileprivate var saysCancelled: Bool {
        self is CancellationError || self as? StoreError == .cancelled || self as? WaitError == .cancelled
    }
}

/// The number of attempts at an operation, and the waits between them.
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
    /// The maximum number of attempts, including the first.
    package let maxAttempts: Int
    /// How the waits between attempts grow.
    package let backoff: RetryBackoff
    /// How the waits are randomized.
    package let jitter: RetryJitter

    /// Creates a policy.
    ///
    /// - Parameters:
    ///   - maxAttempts: The maximum number of attempts, including the first. It must be at least 1; otherwise this
    ///     traps. Use `.max` for unlimited attempts.
    ///   - backoff: How the waits between attempts grow.
    ///   - jitter: How the waits are randomized.
    public init(maxAttempts: Int, backoff: RetryBackoff = .none, jitter: RetryJitter = .none) {
        guard maxAttempts >= 1 else {
            fatalError("RetryPolicy(maxAttempts: \(maxAttempts)) allows no attempt. Give a number of at least 1.")
        }
        self.maxAttempts = maxAttempts
        self.backoff = backoff
        self.jitter = jitter
    }

    /// Returns the wait after a failed attempt.
    ///
    /// - Parameters:
    ///   - attempt: The number of the attempt, starting at 1. A smaller number traps.
    ///   - generator: The source of the jitter.
    /// - Returns: The wait; nil after the last attempt.
    /// - Complexity: O(log *attempt*)
    public func wait(afterAttempt attempt: Int, using generator: inout some RandomNumberGenerator) -> Duration? {
        guard attempt >= 1 else {
            fatalError("RetryPolicy.wait(afterAttempt: \(attempt)) has no attempt. Count attempts from 1.")
        }
        guard attempt < maxAttempts else { return nil }
        return min(jitter.spread(backoff.wait(afterAttempt: attempt), using: &generator), backoff.cap)
    }
}

/// A rule for the growth of the waits between attempts.
public struct RetryBackoff: Sendable, Hashable {
    enum Kind: Hashable, Sendable {
        case none
        case constant(Duration)
        case exponential(base: Duration, multiplier: Double)
    }

    let kind: Kind
    /// The longest wait.
    let cap: Duration

    private init(kind: Kind, cap: Duration? = nil) {
        self.kind = kind
        self.cap = (cap ?? .longestWait).boundedWait
    }

    /// No wait: the next attempt starts immediately.
    public static let none = RetryBackoff(kind: .none)

    /// Returns a rule with a constant wait.
    ///
    /// - Parameter duration: The wait. It must not be negative; otherwise this traps.
    /// - Returns: A rule.
    public static func constant(_ duration: Duration) -> RetryBackoff {
        guard duration >= .zero else {
            fatalError("RetryBackoff.constant(\(duration)) is negative. Give a duration of at least zero.")
        }
        return RetryBackoff(kind: .constant(duration))
    }

    /// Returns a rule with exponentially growing waits: `base`, `base * multiplier`, `base * multiplier * multiplier`,
    /// and so on.
    ///
    /// - Parameters:
    ///   - base: The wait after the first attempt. It must not be negative; otherwise this traps.
    ///   - multiplier: The factor between two waits. It must be at least 1; otherwise this traps.
    ///   - cap: The longest wait, including jitter; nil for no limit. It must not be negative; otherwise this traps.
    /// - Returns: A rule.
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

    /// Returns the wait after an attempt. The number of the first attempt is 1.
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
    /// Returns the product, or the longest duration if it overflows. The result is exact if the power is a whole
    /// number.
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

/// A rule for the randomization of waits, which spreads the retries of operations that failed at the same time.
public struct RetryJitter: Sendable, Hashable {
    enum Kind: Hashable, Sendable {
        case none
        case full
        case equal
        case proportional(Double)
    }

    let kind: Kind

    /// No randomization.
    public static let none = RetryJitter(kind: .none)

    /// A random wait between zero and the whole wait.
    public static let full = RetryJitter(kind: .full)

    /// A random wait between half of the wait and the whole wait.
    public static let equal = RetryJitter(kind: .equal)

    /// Returns a rule for a random wait around the whole wait: with a fraction of 0.1, between 90 % and 110 % of it.
    ///
    /// - Parameter fraction: The maximum deviation, from 0 to 1. Other values trap.
    /// - Returns: A rule.
    public static func proportional(_ fraction: Double) -> RetryJitter {
        guard (0...1).contains(fraction) else {
            fatalError("RetryJitter.proportional(\(fraction)) is out of range. Give a fraction from 0 to 1.")
        }
        return RetryJitter(kind: .proportional(fraction))
    }

    /// Returns a random wait according to the rule.
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

/// An attempt at an operation that is retried.
public struct RetryAttempt: Sendable {
    /// The number of the attempt, starting at 1.
    public let number: Int
    /// The maximum number of attempts.
    public let maxAttempts: Int
    /// The error of the previous attempt; nil for the first.
    public let previousError: (any Error)?

    @TaskLocal static var inForce: RetryAttempt?

    /// The attempt of the innermost retry that the current task is part of; nil outside of a retry.
    ///
    /// Use it in the operations of ``Effect/retry(_:clock:random:if:)``, and in code that they call, such as a logger.
    public static var current: RetryAttempt? { inForce }
}

extension Effect {
    /// Returns this effect with retries: each operation that fails is retried according to a policy.
    ///
    /// ```swift
    /// return .task { .loaded(try await users.load(id)) } catch: { _ in .loadingFailed }
    ///     .retry(RetryPolicy(maxAttempts: 3, backoff: .exponential(base: .seconds(1)), jitter: .full))
    /// ```
    ///
    /// All attempts belong to one operation with one identity: it is cancelled as a whole, even during a wait, and then
    /// ends immediately. Cancellation is never retried, and neither is an operation that has shut its own store down,
    /// because the store accepts nothing more from it. The error of the last attempt is handled like any error of the
    /// operation. Errors of earlier attempts are not published; ``RetryAttempt/current`` has the previous one. Actions
    /// that a failed attempt has sent are not withdrawn.
    ///
    /// - Parameters:
    ///   - policy: The number of attempts, and the waits between them.
    ///   - clock: The clock that measures the waits; a test can pass its own.
    ///   - random: The source of the jitter. A seeded generator produces the same waits each time that the effect runs.
    ///   - isRetried: A closure that returns whether to retry after an error; by default all errors are retried.
    /// - Returns: The effect with retries.
    /// - Complexity: O(*n*), where *n* is the number of composed effects.
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
