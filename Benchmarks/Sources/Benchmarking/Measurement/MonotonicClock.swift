#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Darwin)
    import Darwin
#endif

/// The machine's monotonic clock, read in the cheapest way.
public enum MonotonicClock {
    /// Nanoseconds since some moment in the past.
    @inlinable
    public static var now: Int {
        var time = timespec()
        clock_gettime(CLOCK_MONOTONIC, &time)
        return Int(time.tv_sec) * 1_000_000_000 + Int(time.tv_nsec)
    }

    /// The cost of reading the clock, in nanoseconds: the median of some hundred rounds.
    public static func measureCost() -> Double {
        let looks = 1_000
        let rounds = (0..<200).map { _ in
            let start = now
            for _ in 0..<looks { blackHole(now) }
            return Double(now - start) / Double(looks)
        }
        return Quantiles(rounds)[0.5]
    }
}
