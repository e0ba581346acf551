import ActorStore

/// Counts the flights of one airport, and decides when their delay is worth an alert.
struct Airport: Reducer {
    /// What happens to a flight of one of its carriers, or to its alert.
    enum Action: Equatable, Sendable {
        case flight(FlightNews, of: CarrierCode)
        case announced(Alert.Kind, number: Int)
    }

    let code: AirportCode
    var alerts = AlertSink.silent

    func reduce(into state: inout State, action: Action) -> Effect<Action> {
        switch action {
        case .flight(let news, _):
            return count(news, in: &state)
        case .announced(let kind, let number):
            state.recordAnnouncement(number: number, of: kind)
            return .none
        }
    }

    private func count(_ news: FlightNews, in state: inout State) -> Effect<Action> {
        switch news.phase {
        case .scheduled: state.figures.flights += 1
        case .arrived: state.figures.arrived += 1
        case .cancelled: state.figures.cancelled += 1
        case .diverted: state.figures.diverted += 1
        case .departed(let delay):
            if let alert = state.recordDeparture(from: code, delay: delay, at: news.time) { return announce(alert) }
        }
        return .none
    }

    /// Tells the world first and the state afterwards: an alert is shown as raised once somebody was told.
    ///
    /// What an effect sends enters the tree where the effect belongs, and goes up from there like any other action.
    private func announce(_ alert: Alert) -> Effect<Action> {
        .run { [alerts] send in
            await alerts.announce(alert)
            send(.announced(alert.kind, number: alert.number))
        }
    }
}
