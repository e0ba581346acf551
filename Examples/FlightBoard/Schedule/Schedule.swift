/// The flights as events in order of time, for each airport of origin.
struct Schedule: Sendable {
    /// One airport's events.
    struct RemovedEntries: Sendable {
        let origin: AirportCode
        let events: [FlightEvent]
    }

    let flights: [Flight]

    /// In the order of the airports' codes.
    let departures: [RemovedEntries]

    /// The carriers of each airport of origin, in order.
    let legs: [Leg]

    /// The total number of events.
    let eventCount: Int

    /// The first and the last minute; nil without flights.
    let span: ClosedRange<BoardTime>?

    init(_ flights: [Flight]) {
        var events: [AirportCode: [FlightEvent]] = [:]
        var legs: Set<Leg> = []
        for (index, flight) in flights.enumerated() {
            events[flight.origin, default: []] += FlightEvent.events(of: flight, at: index)
            legs.insert(flight.leg)
        }
        self.flights = flights
        self.legs = legs.sorted()
        // The sort is stable: events of one flight at the same minute stay in their order.
        departures = events.sorted { $0.key < $1.key }.map { origin, events in
            RemovedEntries(origin: origin, events: events.sorted { $0.time < $1.time })
        }
        eventCount = departures.reduce(0) { $0 + $1.events.count }
        let first = departures.compactMap(\.events.first?.time).min()
        let last = departures.compactMap(\.events.last?.time).max()
        if let first, let last { span = first...last } else { span = nil }
    }

    /// The airports of origin, in order.
    var airports: [AirportCode] { departures.map(\.origin) }

    /// The carrier and the origin of an event's flight.
    func leg(of event: FlightEvent) -> Leg { flights[event.flight].leg }

    /// The action of an event.
    func news(of event: FlightEvent) -> FlightNews {
        FlightNews(flight: FlightID(row: event.flight), phase: phase(after: event), time: event.time)
    }

    private func phase(after event: FlightEvent) -> FlightPhase {
        switch (event.kind, flights[event.flight].outcome) {
        case (.departed, .arrived(let delay, _)), (.departed, .diverted(let delay, _)): .departed(delay: delay)
        case (.scheduled, _): .scheduled
        case (.arrived, _): .arrived
        case (.diverted, _): .diverted
        case (.cancelled, _), (.departed, .cancelled): .cancelled
        }
    }
}
