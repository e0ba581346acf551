/// Detects growth of a quantity of memory, from its values at quiescent points.
///
/// A straight line is fitted through the quiescent points (by least squares): once through the last of them, to detect
/// a leak that begins late, and once through all of them, to detect a slow one. Memory grows if the line rises by more
/// than the tolerance per thousand actions, and by more in all than caches that are not filled yet; also without the
/// largest rise between two of the points, because a leak grows all the time, while libdispatch has a cache for each of
/// its threads, of up to 1,024 blocks, that fills at some point.
public struct GrowthCheck: Sendable {
    /// A quiescent point.
    public struct Point: Sendable, Equatable {
        /// The number of actions so far.
        public let actions: Int
        /// The amount of memory.
        public let amount: Int

        /// A moment.
        public init(actions: Int, amount: Int) {
            self.actions = actions
            self.amount = amount
        }
    }

    /// The number of ignored points at the beginning, when caches fill.
    public static let warmUp = 2
    /// The number of last points for a leak that begins late.
    public static let window = 12
    /// Fewer points prove nothing.
    public static let fewest = 4

    /// The counted quantity, as named in a report.
    public let quantity: String
    /// The growth per thousand actions that is not a leak within ``window`` points; over more points, proportionally
    /// less.
    public let tolerance: Double
    /// The total growth that is not a leak.
    public let slack: Double

    /// All points so far.
    public private(set) var points: [Point] = []

    /// No points.
    ///
    /// - Parameters:
    ///   - quantity: The counted quantity, in the plural.
    ///   - tolerance: The growth per thousand actions that is not a leak.
    ///   - slack: The total growth that is not a leak.
    public init(of quantity: String, tolerance: Double, slack: Double) {
        self.quantity = quantity
        self.tolerance = tolerance
        self.slack = slack
    }

    /// Blocks on the heap.
    public static var blocks: GrowthCheck { GrowthCheck(of: "blocks", tolerance: 0.2, slack: 1_000) }

    /// Kibibytes of resident memory.
    public static var residentMemory: GrowthCheck { GrowthCheck(of: "KiB resident", tolerance: 0.1, slack: 8_192) }

    /// Adds a point.
    public mutating func add(_ point: Point) { points.append(point) }

    /// The growth per thousand actions, over all points that count; nil if there are too few.
    public var growthPerThousandActions: Double? { Self.slope(of: counting[...]) }

    /// The violation, or nil. Too few points are a violation as well: a check without data must not pass.
    public var flaw: String? {
        let all = counting
        guard all.count >= Self.fewest else {
            return
                "Whether \(quantity) keep growing is not known: \(all.count) moments of rest of at least \(Self.fewest)."
        }
        let late = all.suffix(Self.window)
        return flaw(in: late, tolerance: tolerance)
            ?? flaw(in: all[...], tolerance: tolerance * Double(Self.window) / Double(max(all.count, Self.window)))
    }

    private func flaw(in points: ArraySlice<Point>, tolerance: Double) -> String? {
        guard let first = points.first, let last = points.last, let slope = Self.slope(of: points),
            let steady = Self.slope(of: Self.withoutLargestRise(points)[...])
        else { return nil }
        let rise = steady * Double(last.actions - first.actions) / 1_000
        guard steady > tolerance, rise > slack else { return nil }
        return "Memory keeps growing, by \((slope * 1_000).rounded() / 1_000) \(quantity) for each thousand actions."
    }

    /// The slope of the line through these points, per thousand actions.
    private static func slope(of points: ArraySlice<Point>) -> Double? {
        guard points.count >= fewest else { return nil }
        let meanActions = points.reduce(0) { $0 + Double($1.actions) } / Double(points.count)
        let meanAmount = points.reduce(0) { $0 + Double($1.amount) } / Double(points.count)
        let (above, below) = points.reduce((0.0, 0.0)) { sums, point in
            let distance = Double(point.actions) - meanActions
            return (sums.0 + distance * (Double(point.amount) - meanAmount), sums.1 + distance * distance)
        }
        return below > 0 ? 1_000 * above / below : nil
    }

    private var counting: [Point] { Array(points.dropFirst(Self.warmUp)) }

    private static func withoutLargestRise(_ points: ArraySlice<Point>) -> [Point] {
        let rises = zip(points.dropFirst(), points).map { $0.amount - $1.amount }
        guard let largest = rises.max(), largest > 0, let index = rises.firstIndex(of: largest) else {
            return Array(points)
        }
        return points.enumerated().map { place, point in
            place <= index ? point : Point(actions: point.actions, amount: point.amount - largest)
        }
    }
}
