/// When a collection of things that end by themselves is to be looked through for those that have: when it is twice as
/// long as the last look has left it, so that looking costs no more than adding, and what has ended is at most half of
/// it.
package struct SweepThreshold {
    private let minimum: Int
    private var threshold: Int

    /// - Parameter minimum: How long the collection must be at least.
    package init(minimum: Int = 16) {
        self.minimum = minimum
        threshold = minimum
    }

    /// Whether a collection of this length is to be looked through.
    package func isReached(by count: Int) -> Bool { count >= threshold }

    /// Sets the next look to when the collection is twice as long as the last one has left it.
    package mutating func reset(after count: Int) { threshold = max(minimum, 2 * count) }
}
