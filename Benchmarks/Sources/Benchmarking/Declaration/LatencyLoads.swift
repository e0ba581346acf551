/// The rates at which the operations of a latency benchmark are offered, one after the other.
public enum LatencyLoads: Sendable {
    /// Fractions of what each benchmark attains itself, back to back.
    case fractions([Double])
    /// Operations a second, for callers who are too many to have a core each, and so cannot be woken at any rate.
    case rates([Double])
    /// As many operations as the callers can do: each begins the next one when the one before has returned.
    case unlimited

    var values: [Double] {
        switch self {
        case .fractions(let values), .rates(let values): values
        case .unlimited: [1]
        }
    }

    /// The parameter that a load is in the results; nil if there is none.
    var parameter: String? {
        switch self {
        case .fractions: "load"
        case .rates: "rate"
        case .unlimited: nil
        }
    }
}
