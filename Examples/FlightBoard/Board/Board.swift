import ActorStore

/// Stores the flights and the clock, and counts over all airports.
struct Board: Reducer {
    func reduce(into state: inout State, action: Action) -> Effect<Action> {
        switch action {
        case .flight(let news, let leg):
            state.flights[news.flight] = FlightStatus(leg: leg, phase: news.phase, time: news.time)
            count(news, in: &state.whole)
        case .crossed(.raised): state.whole.alertsRaised += 1
        case .crossed(.cleared): state.whole.alertsCleared += 1
        case .announced: state.whole.announcements += 1
        }
        return .none
    }

    private func count(_ news: FlightNews, in whole: inout BoardFigures) {
        switch news.phase {
        case .scheduled: whole.flights += 1
        case .departed: whole.departed += 1
        case .arrived: whole.arrived += 1
        case .cancelled: whole.cancelled += 1
        case .diverted: whole.diverted += 1
        }
        // Airports reach a minute one after the other; the board's clock follows the first of them.
        whole.time = max(whole.time ?? news.time, news.time)
    }
}
