/// The flights as events in order of time, for each airport of origin.
struct Schedule: Sendable {
    /// One airport's events.
    struct Departures: Sendable {
        let origin: AirportCode
        let events: [FlightEvent]
    }

    let flights: [Flight]

    /// In the order of the airports' codes.
    let departures: [Departures]

    /// The codes of all carriers, in order.
    let carriers: [CarrierCode]

    /// How many events there are in all.
    let eventCount: Int

    /// The first and the last minute; nothing without flights.
    let span: ClosedRange<BoardTime>?

    init(_ flights: [Flight]) {
        var events: [AirportCode: [FlightEvent]] = [:]
        var carriers: Set<CarrierCode> = []
        for (index, flight) in flights.enumerated() {
            events[flight.origin, default: []] += FlightEvent.events(of: flight, at: index)
            carriers.insert(flight.carrier)
        }
        self.flights = flights
        self.carriers = carriers.sorted()
        // The sort is stable: events of one flight at the same minute stay in their order.
        departures = events.sorted { $0.key < $1.key }.map { origin, events in
            Departures(origin: origin, events: events.sorted { $0.time < $1.time })
        }
        eventCount = departures.reduce(0) { $0 + $1.events.count }
        let first = departures.compactMap(\.events.first?.time).min()
        let last = departures.compactMap(\.events.last?.time).max()
        if let first, let last { span = first...last } else { span = nil }
    }

    /// The airports of origin, in order.
    var airports: [AirportCode] { departures.map(\.origin) }

    /// What to dispatch for an event.
    func action(for event: FlightEvent) -> Board.Action {
        let flight = flights[event.flight]
        let leg = Leg(origin: flight.origin, carrier: flight.carrier)
        return switch (event.kind, flight.outcome) {
        case (.departed, .arrived(let delay, _)), (.departed, .diverted(let delay, _)):
            .departed(leg, delay: delay, at: event.time)
        case (.scheduled, _): .scheduled(leg, at: event.time)
        case (.arrived, _): .arrived(leg, at: event.time)
        case (.diverted, _): .diverted(leg, at: event.time)
        case (.cancelled, _), (.departed, .cancelled): .cancelled(leg, at: event.time)
        }
    }
}
