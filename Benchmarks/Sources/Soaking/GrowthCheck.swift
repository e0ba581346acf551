/// Tells whether memory keeps growing, by how many blocks are there whenever everything is at rest.
///
/// A straight line is laid through the last quiet points (by least squares). Memory grows if the line rises by more than some
/// blocks for each thousand actions, and by so many in all that it is no cache that has not been filled yet; also without the
/// largest rise between two of the points, because what leaks grows all the time, while libdispatch has a cache for each of its
/// threads, of up to 1,024 blocks, that fills when it comes to it.
public struct GrowthCheck: Sendable {
    /// A moment at which everything was at rest.
    public struct Point: Sendable, Equatable {
        /// How many actions there had been.
        public let actions: Int
        /// How many blocks of memory there were.
        public let blocks: Int

        /// A moment.
        public init(actions: Int, blocks: Int) {
            self.actions = actions
            self.blocks = blocks
        }
    }

    /// How many points do not count at the beginning, when caches fill.
    public static let warmUp = 2
    /// How many of the last points count.
    public static let window = 12
    /// With fewer points nothing can be said.
    public static let fewest = 3
    /// So many blocks for each thousand actions are no leak.
    public static let tolerance = 0.2
    /// So many blocks in all are no leak.
    public static let slack = 1_000.0

    /// All moments so far.
    public private(set) var points: [Point] = []

    /// No moments.
    public init() {}

    /// Adds a moment.
    public mutating func add(_ point: Point) { points.append(point) }

    /// By how many blocks memory grows for each thousand actions; nil if there are too few points to say.
    public var blocksPerThousandActions: Double? { Self.slope(of: counting) }

    /// What is wrong, or nil.
    public var flaw: String? {
        guard let slope = blocksPerThousandActions, let steady = Self.slope(of: withoutLargestRise[...]),
            let first = counting.first, let last = counting.last
        else { return nil }
        let rise = steady * Double(last.actions - first.actions) / 1_000
        guard steady > Self.tolerance, rise > Self.slack else { return nil }
        return "Memory keeps growing, by \((slope * 100).rounded() / 100) blocks for each thousand actions."
    }

    /// How steep the line through these points is, in blocks for each thousand actions.
    private static func slope(of points: ArraySlice<Point>) -> Double? {
        guard points.count >= fewest else { return nil }
        let meanActions = points.reduce(0) { $0 + Double($1.actions) } / Double(points.count)
        let meanBlocks = points.reduce(0) { $0 + Double($1.blocks) } / Double(points.count)
        let (above, below) = points.reduce((0.0, 0.0)) { sums, point in
            let distance = Double(point.actions) - meanActions
            return (sums.0 + distance * (Double(point.blocks) - meanBlocks), sums.1 + distance * distance)
        }
        return below > 0 ? 1_000 * above / below : nil
    }

    private var counting: ArraySlice<Point> { points.dropFirst(Self.warmUp).suffix(Self.window) }

    private var withoutLargestRise: [Point] {
        let counting = counting
        let rises = zip(counting.dropFirst(), counting).map { $0.blocks - $1.blocks }
        guard let largest = rises.max(), largest > 0, let index = rises.firstIndex(of: largest) else {
            return Array(counting)
        }
        return counting.enumerated().map { place, point in
            place <= index ? point : Point(actions: point.actions, blocks: point.blocks - largest)
        }
    }
}
