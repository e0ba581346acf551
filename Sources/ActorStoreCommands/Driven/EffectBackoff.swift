import ActorStore

/// The delays between the attempts of a failing effect. It is part of an ``EffectState``, and a plain value.
///
/// ```swift
/// .doubling                                            // 2 s, 4 s, 8 s, …
/// .exponential(base: .seconds(1), limit: .seconds(30)) // 1 s, 2 s, 4 s, … 30 s, 30 s
/// .constant(.seconds(5))
/// ```
public struct EffectBackoff: Hashable, Codable, Sendable {
    /// The delay before the second attempt.
    public let base: Duration
    /// The factor by which each delay is longer than the previous one.
    public let factor: Int
    /// The maximum delay.
    public let limit: Duration

    /// The maximum of all delays, whatever the limit: about 68 years.
    public static let longest = Duration.seconds(Int64(Int32.max))

    /// Returns a backoff whose delays grow.
    ///
    /// - Parameters:
    ///   - base: The delay before the second attempt.
    ///   - factor: The factor by which each delay is longer than the previous one; a factor less than 1 counts as 1.
    ///   - limit: The maximum delay.
    /// - Returns: A backoff whose delays grow up to `limit`.
    public static func exponential(base: Duration, factor: Int = 2, limit: Duration = longest) -> EffectBackoff {
        EffectBackoff(base: base, factor: factor, limit: limit)
    }

    /// Returns a backoff with the same delay before each attempt.
    ///
    /// - Parameter wait: The delay.
    /// - Returns: A backoff with that delay.
    public static func constant(_ wait: Duration) -> EffectBackoff {
        EffectBackoff(base: wait, factor: 1, limit: longest)
    }

    /// A delay of 2ⁿ seconds before the attempt with the number *n*: 2, 4, 8 …
    public static let doubling = exponential(base: .seconds(2))

    /// No delay.
    public static let immediate = constant(.zero)

    /// Returns the delay before an attempt.
    ///
    /// - Parameter number: The number of the attempt, counted from 0; the first attempt has no delay.
    /// - Returns: The delay; zero for the first attempt.
    /// - Complexity: O(*n*), up to the number of steps from the base to the limit: at most 92.
    public func delay(beforeAttempt number: Int) -> Duration {
        guard number > 0 else { return .zero }
        let limit = min(max(limit, .zero), Self.longest)
        var delay = min(max(base, .zero), limit)
        guard factor > 1, delay > .zero else { return delay }
        for _ in 1..<number {
            // Compared before it is multiplied, to avoid overflow.
            if delay > limit / factor { return limit }
            delay *= factor
        }
        return delay
    }
}
