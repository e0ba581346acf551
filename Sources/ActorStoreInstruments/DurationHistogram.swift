/// A histogram of durations, with buckets that are at most a sixteenth of their durations wide.
///
/// A power of two has 16 buckets of equal width, as in Gil Tene's HdrHistogram. So a histogram needs at most 976
/// counters for any durations, and has an error of at most 6 %.
struct DurationHistogram: Sendable, Equatable {
    /// The counters up to the bucket of the longest duration.
    private var counters: [Int] = []

    /// The number of buckets of each power of two; shorter durations, in nanoseconds, have one bucket each.
    private static let width: UInt64 = 16

    mutating func add(_ duration: Duration) {
        let bucket = Self.bucket(of: duration.wholeNanoseconds)
        if bucket >= counters.count { counters += repeatElement(0, count: bucket + 1 - counters.count) }
        counters[bucket] += 1
    }

    /// Returns the shortest duration that this fraction of all durations do not exceed, rounded up to the end of its
    /// bucket.
    ///
    /// - Parameter fraction: The fraction, from 0 to 1.
    /// - Returns: The duration; nil if there are no durations.
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
        // The number of times that the number is halved until it is less than two widths.
        let halvings = nanoseconds.bitWidth - nanoseconds.leadingZeroBitCount - 1 - width.trailingZeroBitCount
        return Int(width) * halvings + Int(nanoseconds >> UInt64(halvings))
    }

    /// Returns the longest duration in a bucket, in nanoseconds.
    private static func end(ofBucket bucket: Int) -> UInt64 {
        let halvings = max(0, bucket / Int(width) - 1)
        let first = UInt64(bucket - Int(width) * halvings) << UInt64(halvings)
        return first + ((1 << UInt64(halvings)) - 1)
    }
}

extension Duration {
    /// The duration in nanoseconds, clamped to the range of `UInt64`.
    fileprivate var wholeNanoseconds: UInt64 {
        let (seconds, attoseconds) = components
        guard seconds >= 0, attoseconds >= 0 else { return 0 }
        let (whole, overflows) = UInt64(seconds).multipliedReportingOverflow(by: 1_000_000_000)
        guard !overflows else { return .max }
        let (sum, isTooMuch) = whole.addingReportingOverflow(UInt64(attoseconds) / 1_000_000_000)
        return isTooMuch ? .max : sum
    }
}
