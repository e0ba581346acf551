extension Board {
    /// The actions from the airports.
    enum Action: Equatable, Sendable {
        case flight(FlightNews, Leg)
        case crossed(Alert.Kind)
        case announced
    }
}
