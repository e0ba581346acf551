/// The size at which a collection is swept for elements that have ended by themselves: twice its size after the last
/// sweep. So sweeping costs no more than adding, and at most half of the elements have ended.
package struct SweepThreshold {
    private let minimum: Int
    private var threshold: Int

    /// - Parameter minimum: The smallest size at which the collection is swept.
    package init(minimum: Int = 16) {
        self.minimum = minimum
        threshold = minimum
    }

    /// Returns whether a collection of this size has to be swept.
    package func isReached(by count: Int) -> Bool { count >= threshold }

    /// Sets the threshold to twice the size that the last sweep has left.
    package mutating func reset(after count: Int) { threshold = max(minimum, 2 * count) }
}
