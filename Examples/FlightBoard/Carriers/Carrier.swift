import ActorStore

/// Counts the flights of one carrier from one airport.
struct Carrier: Reducer {
    func reduce(into figures: inout CarrierFigures, action news: FlightNews) -> Effect<FlightNews> {
        switch news.phase {
        case .scheduled: figures.flights += 1
        case .departed(let delay):
            figures.departed += 1
            figures.delaySum += delay
        case .cancelled: figures.cancelled += 1
        case .arrived, .diverted: break
        }
        return .none
    }
}
