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
