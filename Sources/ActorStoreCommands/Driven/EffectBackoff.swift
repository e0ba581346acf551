import ActorStore

/// How long a failed effect waits before it is tried again: a part of an ``EffectState``, and so a plain value.
///
/// ```swift
/// .doubling                                            // 2 s, 4 s, 8 s, …
/// .exponential(base: .seconds(1), limit: .seconds(30)) // 1 s, 2 s, 4 s, … 30 s, 30 s
/// .constant(.seconds(5))
/// ```
public struct EffectBackoff: Hashable, Codable, Sendable {
    /// Before the second attempt.
    public let base: Duration
    /// By how much each wait is longer than the one before.
    public let factor: Int
    /// No wait is longer.
    public let limit: Duration

    /// No wait is longer than this, whatever the limit: about 68 years.
    public static let longest = Duration.seconds(Int64(Int32.max))

    /// Waits that grow.
    ///
    /// - Parameters:
    ///   - base: Before the second attempt.
    ///   - factor: By how much each wait is longer than the one before; one that is less than 1 counts as 1.
    ///   - limit: No wait is longer.
    public static func exponential(base: Duration, factor: Int = 2, limit: Duration = longest) -> EffectBackoff {
        EffectBackoff(base: base, factor: factor, limit: limit)
    }

    /// The same wait before each attempt.
    public static func constant(_ wait: Duration) -> EffectBackoff {
        EffectBackoff(base: wait, factor: 1, limit: longest)
    }

    /// 2ⁿ seconds before the attempt with the number *n*: 2, 4, 8 …
    public static let doubling = exponential(base: .seconds(2))

    /// No wait at all.
    public static let immediate = constant(.zero)

    /// The wait before an attempt.
    ///
    /// - Parameter number: The number of the attempt; that of the first is 0, and waits for nothing.
    /// - Complexity: O(*n*), up to the number of steps from the base to the limit: at most 92.
    public func delay(beforeAttempt number: Int) -> Duration {
        guard number > 0 else { return .zero }
        let limit = min(max(limit, .zero), Self.longest)
        var delay = min(max(base, .zero), limit)
        guard factor > 1, delay > .zero else { return delay }
        for _ in 1..<number {
            // Compared before it is multiplied, so that nothing overflows.
            if delay > limit / factor { return limit }
            delay *= factor
        }
        return delay
    }
}
