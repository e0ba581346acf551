/// How often each duration occurred, in buckets that are at most a sixteenth of their durations wide.
///
/// A power of two has 16 buckets of equal width, as in the histograms of Gil Tene's HdrHistogram. So a figure needs at
/// most 976 counters, whatever the durations are, and is off by 6 % at most.
struct DurationHistogram: Sendable, Equatable {
    /// As many as the longest duration needs.
    private var counters: [Int] = []

    /// Each power of two has this many buckets; durations below it, in nanoseconds, have one each.
    private static let width: UInt64 = 16

    mutating func add(_ duration: Duration) {
        let bucket = Self.bucket(of: duration.wholeNanoseconds)
        if bucket >= counters.count { counters += repeatElement(0, count: bucket + 1 - counters.count) }
        counters[bucket] += 1
    }

    /// The shortest duration that this part of all durations does not exceed, rounded up to the end of its bucket.
    ///
    /// - Parameter fraction: From 0 to 1.
    /// - Returns: nil if there are no durations.
    /// - Complexity: O(1), at most 976 steps.
    func quantile(_ fraction: Double) -> Duration? {
        let count = counters.reduce(0, +)
        guard count > 0 else { return nil }
        let rank = max(1, Int((fraction * Double(count)).rounded(.up)))
        var passed = 0
        for (bucket, counter) in counters.enumerated() {
            passed += counter
            if passed >= rank { return .nanoseconds(Self.end(ofBucket: bucket)) }
        }
        return nil
    }

    private static func bucket(of nanoseconds: UInt64) -> Int {
        if nanoseconds < width { return Int(nanoseconds) }
        // How often the number is halved until it is below two widths.
        let halvings = nanoseconds.bitWidth - nanoseconds.leadingZeroBitCount - 1 - width.trailingZeroBitCount
        return Int(width) * halvings + Int(nanoseconds >> UInt64(halvings))
    }

    /// The longest duration in a bucket, in nanoseconds.
    private static func end(ofBucket bucket: Int) -> UInt64 {
        let halvings = max(0, bucket / Int(width) - 1)
        let first = UInt64(bucket - Int(width) * halvings) << UInt64(halvings)
        return first + ((1 << UInt64(halvings)) - 1)
    }
}

extension Duration {
    /// In nanoseconds, at least none, at most what there is room for.
    fileprivate var wholeNanoseconds: UInt64 {
        let (seconds, attoseconds) = components
        guard seconds >= 0, attoseconds >= 0 else { return 0 }
        let (whole, overflows) = UInt64(seconds).multipliedReportingOverflow(by: 1_000_000_000)
        guard !overflows else { return .max }
        let (sum, isTooMuch) = whole.addingReportingOverflow(UInt64(attoseconds) / 1_000_000_000)
        return isTooMuch ? .max : sum
    }
}
