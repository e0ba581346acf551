/// The offered rates of a latency benchmark, one after the other.
public enum LatencyLoads: Sendable {
    /// Fractions of the benchmark's own back-to-back rate.
    case fractions([Double])
    /// Operations per second, for more callers than cores, which cannot be woken at any rate.
    case rates([Double])
    /// As many operations as the callers can run: each begins the next one when the previous one has returned.
    case unlimited

    var values: [Double] {
        switch self {
        case .fractions(let values), .rates(let values): values
        case .unlimited: [1]
        }
    }

    /// The parameter of a load in the results; nil if there is no parameter.
    var parameter: String? {
        switch self {
        case .fractions: "load"
        case .rates: "rate"
        case .unlimited: nil
        }
    }
}
