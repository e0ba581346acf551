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
