/// Counts the occurrences of each value, with a relative error of less than 0.1 %, in memory that does not grow with
/// the number of values.
///
/// Values up to 2,047 are counted exactly; above, each power of two is divided into 1,024 buckets. (HdrHistogram: Tene,
/// 2012, with 3 significant digits.)
public struct Histogram: Sendable, Equatable, Codable {
    private static let subBucketBits = 10
    private static let subBuckets = 1 << subBucketBits

    /// The number of values in each bucket, up to the largest used one.
    private var counts: [Int] = []
    /// The number of recorded values.
    public private(set) var count = 0
    /// The smallest value, exactly; 0 without values.
    public private(set) var minimum = 0
    /// The largest value, exactly; 0 without values.
    public private(set) var maximum = 0

    /// An empty histogram.
    public init() {}

    /// An empty histogram that need not grow while it records.
    ///
    /// - Parameter value: The largest expected value.
    public init(reservedUpTo value: Int) {
        counts = Array(repeating: 0, count: Self.index(of: max(0, value)) + 1)
    }

    /// Counts a value.
    ///
    /// - Parameter value: The measured value; a negative one is counted as 0.
    /// - Complexity: O(1).
    public mutating func record(_ value: Int) { record(value, times: 1) }

    /// Counts a value several times.
    public mutating func record(_ value: Int, times: Int) {
        guard times > 0 else { return }
        let value = max(0, value)
        let index = Self.index(of: value)
        if index >= counts.count { counts.append(contentsOf: repeatElement(0, count: index + 1 - counts.count)) }
        counts[index] += times
        minimum = count == 0 ? value : min(minimum, value)
        maximum = max(maximum, value)
        count += times
    }

    /// Adds all values of another histogram.
    public mutating func add(_ other: Histogram) {
        guard other.count > 0 else { return }
        if other.counts.count > counts.count {
            counts.append(contentsOf: repeatElement(0, count: other.counts.count - counts.count))
        }
        for (index, times) in other.counts.enumerated() { counts[index] += times }
        minimum = count == 0 ? other.minimum : min(minimum, other.minimum)
        maximum = max(maximum, other.maximum)
        count += other.count
    }

    /// The value that the given fraction of all values does not exceed; 0 without values.
    ///
    /// - Parameter fraction: From 0 to 1. 0 gives the smallest and 1 the largest value, both exactly.
    /// - Complexity: O(*b*), with *b* buckets, 1,024 for each power of two.
    public func value(at fraction: Double) -> Int {
        guard count > 0, fraction > 0 else { return minimum }
        let rank = max(1, Int((min(fraction, 1) * Double(count)).rounded(.up)))
        var seen = 0
        for (index, times) in counts.enumerated() where times > 0 {
            seen += times
            if seen >= rank { return min(max(Self.highestValue(at: index), minimum), maximum) }
        }
        return maximum
    }

    /// The mean of all values; 0 without values.
    public var mean: Double { moments.mean }

    /// The standard deviation: the root of the mean square distance from the mean.
    public var standardDeviation: Double { moments.deviation }

    private var moments: (mean: Double, deviation: Double) {
        guard count > 0 else { return (0, 0) }
        var sum = 0.0
        for (index, times) in counts.enumerated() { sum += Self.middleValue(at: index) * Double(times) }
        let mean = sum / Double(count)
        var squares = 0.0
        for (index, times) in counts.enumerated() where times > 0 {
            let distance = Self.middleValue(at: index) - mean
            squares += distance * distance * Double(times)
        }
        return (mean, (squares / Double(count)).squareRoot())
    }

    /// The buckets that are not empty: the highest value of each, and the number of values up to it.
    public var cumulativeCounts: [(value: Int, count: Int)] {
        var seen = 0
        return counts.enumerated().compactMap { index, times in
            guard times > 0 else { return nil }
            seen += times
            return (min(Self.highestValue(at: index), maximum), seen)
        }
    }

    // MARK: Coding

    enum CodingKeys: String, CodingKey {
        case counts, minimum, maximum
    }

    /// Reads the output of ``encode(to:)``.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        let pairs = try container.decode([[Int]].self, forKey: .counts)
        for pair in pairs {
            // The largest bucket is that of the largest number.
            guard pair.count == 2, pair[1] > 0, (0...Self.index(of: .max)).contains(pair[0]) else {
                throw DecodingError.dataCorruptedError(
                    forKey: .counts,
                    in: container,
                    debugDescription: "\(pair) is no bucket with a count."
                )
            }
            record(Self.lowestValue(at: pair[0]), times: pair[1])
        }
        minimum = try container.decode(Int.self, forKey: .minimum)
        maximum = try container.decode(Int.self, forKey: .maximum)
    }

    /// Writes the buckets that are not empty, each with its count.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        let pairs = counts.enumerated().filter { $0.element > 0 }.map { [$0.offset, $0.element] }
        try container.encode(pairs, forKey: .counts)
        try container.encode(minimum, forKey: .minimum)
        try container.encode(maximum, forKey: .maximum)
    }

    // MARK: Buckets

    static func index(of value: Int) -> Int {
        let shift = shift(of: value)
        return (shift << subBucketBits) + value >> shift
    }

    /// The number of bits by which values of a magnitude are coarser than integers.
    private static func shift(of value: Int) -> Int {
        max(0, Int.bitWidth - value.leadingZeroBitCount - (subBucketBits + 1))
    }

    static func lowestValue(at index: Int) -> Int {
        let shift = max(0, index >> subBucketBits - 1)
        return (index - shift << subBucketBits) << shift
    }

    static func highestValue(at index: Int) -> Int {
        let shift = max(0, index >> subBucketBits - 1)
        // In this order, because the bucket above the last one is beyond the range of Int.
        return lowestValue(at: index) + ((1 << shift) - 1)
    }

    private static func middleValue(at index: Int) -> Double {
        (Double(lowestValue(at: index)) + Double(highestValue(at: index))) / 2
    }
}
