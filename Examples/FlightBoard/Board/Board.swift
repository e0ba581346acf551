import ActorStore

/// Counts flights by airport and by carrier, and decides when an airport's delay is worth an alert.
struct Board: Reducer {
    let thresholds: AlertThresholds
    let alerts: AlertSink

    init(thresholds: AlertThresholds = AlertThresholds(), alerts: AlertSink = .silent) {
        self.thresholds = thresholds
        self.alerts = alerts
    }

    func reduce(into state: inout State, action: Action) -> Effect<Action> {
        switch action {
        case .scheduled(let leg, let time):
            advance(&state, to: time)
            state.whole.flights += 1
            state.carriers[leg.carrier, default: CarrierFigures()].flights += 1
            state.airports[leg.origin, default: Airport(thresholds: thresholds)].figures.flights += 1
        case .departed(let leg, let delay, let time):
            advance(&state, to: time)
            return depart(leg, delay: delay, at: time, in: &state)
        case .arrived(let leg, let time):
            advance(&state, to: time)
            state.whole.arrived += 1
            state.airports[leg.origin]?.figures.arrived += 1
        case .cancelled(let leg, let time):
            advance(&state, to: time)
            state.whole.cancelled += 1
            state.carriers[leg.carrier]?.cancelled += 1
            state.airports[leg.origin]?.figures.cancelled += 1
        case .diverted(let leg, let time):
            advance(&state, to: time)
            state.whole.diverted += 1
            state.airports[leg.origin]?.figures.diverted += 1
        case .alertRaised(let airport, let number):
            state.whole.alertsRaised += 1
            state.airports[airport]?.recordAnnouncement(number: number, of: .raised)
        case .alertCleared(let airport, let number):
            state.whole.alertsCleared += 1
            state.airports[airport]?.recordAnnouncement(number: number, of: .cleared)
        }
        return .none
    }

    /// Airports reach a minute one after the other; the board's clock follows the foremost.
    private func advance(_ state: inout State, to time: BoardTime) {
        if let latest = state.whole.time, latest >= time { return }
        state.whole.time = time
    }

    private func depart(_ leg: Leg, delay: Int, at time: BoardTime, in state: inout State) -> Effect<Action> {
        state.whole.departed += 1
        state.carriers[leg.carrier]?.departed += 1
        state.carriers[leg.carrier]?.delaySum += delay
        guard let alert = state.airports[leg.origin]?.recordDeparture(from: leg.origin, delay: delay, at: time) else {
            return .none
        }
        return announce(alert)
    }

    /// Tells the world first and the state afterwards: an alert is shown as raised once somebody was told.
    private func announce(_ alert: Alert) -> Effect<Action> {
        let alerts = alerts
        return .run { send in
            await alerts.announce(alert)
            switch alert.kind {
            case .raised: send(.alertRaised(alert.airport, number: alert.number))
            case .cleared: send(.alertCleared(alert.airport, number: alert.number))
            }
        }
    }
}
