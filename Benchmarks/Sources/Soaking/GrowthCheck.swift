/// Tells whether a quantity of memory keeps growing, by how much of it there is whenever everything is at rest.
///
/// A straight line is laid through the quiet points (by least squares): once through the last of them, so that a leak
/// that begins late is seen, and once through all of them, so that a slow one is. Memory grows if the line rises by
/// more than is tolerated for each thousand actions, and by so much in all that it is no cache that has not been filled
/// yet; also without the largest rise between two of the points, because what leaks grows all the time, while
/// libdispatch has a cache for each of its threads, of up to 1,024 blocks, that fills when it comes to it.
public struct GrowthCheck: Sendable {
    /// A moment at which everything was at rest.
    public struct Point: Sendable, Equatable {
        /// How many actions there had been.
        public let actions: Int
        /// How much memory there was.
        public let amount: Int

        /// A moment.
        public init(actions: Int, amount: Int) {
            self.actions = actions
            self.amount = amount
        }
    }

    /// How many points do not count at the beginning, when caches fill.
    public static let warmUp = 2
    /// How many of the last points count for a leak that begins late.
    public static let window = 12
    /// With fewer points nothing can be said.
    public static let fewest = 4

    /// What is counted, as it is called in a report.
    public let quantity: String
    /// How much for each thousand actions is no leak within ``window`` points; over more points, proportionally less.
    public let tolerance: Double
    /// How much in all is no leak.
    public let slack: Double

    /// All moments so far.
    public private(set) var points: [Point] = []

    /// No moments.
    ///
    /// - Parameters:
    ///   - quantity: What is counted, in the plural.
    ///   - tolerance: How much for each thousand actions is no leak.
    ///   - slack: How much in all is no leak.
    public init(of quantity: String, tolerance: Double, slack: Double) {
        self.quantity = quantity
        self.tolerance = tolerance
        self.slack = slack
    }

    /// Blocks on the heap.
    public static var blocks: GrowthCheck { GrowthCheck(of: "blocks", tolerance: 0.2, slack: 1_000) }

    /// Kibibytes that the process occupies.
    public static var residentMemory: GrowthCheck { GrowthCheck(of: "KiB resident", tolerance: 0.1, slack: 8_192) }

    /// Adds a moment.
    public mutating func add(_ point: Point) { points.append(point) }

    /// By how much memory grows for each thousand actions, over all points that count; nil if there are too few to say.
    public var growthPerThousandActions: Double? { Self.slope(of: counting[...]) }

    /// What is wrong, or nil. That there are too few points to say is wrong, too: a check that looks at nothing must
    /// not pass.
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

    /// How steep the line through these points is, for each thousand actions.
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
