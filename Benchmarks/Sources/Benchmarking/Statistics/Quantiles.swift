/// Quantiles of complete values: exact, for counts and for ratios of a few thousand rounds at most.
public struct Quantiles: Sendable {
    private let sorted: [Double]

    /// - Complexity: O(*n* log *n*).
    public init(_ values: [Double]) {
        sorted = values.sorted()
    }

    /// The value that the given fraction of all values does not exceed, interpolated between neighbours; NaN without
    /// values.
    public subscript(fraction: Double) -> Double {
        guard let last = sorted.last else { return .nan }
        let place = min(max(fraction, 0), 1) * Double(sorted.count - 1)
        let index = Int(place)
        guard index + 1 < sorted.count else { return last }
        return sorted[index] + (sorted[index + 1] - sorted[index]) * (place - Double(index))
    }
}
