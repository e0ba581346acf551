import ActorStore

/// The departures counted by a tree of stores: the whole, below it the airports, and below each the carriers that start
/// there.
struct FlightTree: Sendable {
    typealias Tally = FlightCounts.Tally
    typealias CarrierStore = Store<ParentAndChild<ParentAndChild<Int, Tally>, Tally>, Departure>

    /// An event of a flight; its carrier and airport are those of the receiving store.
    enum Departure: Sendable {
        case departed(delay: Int)
        case cancelled
    }

    struct Leg: Hashable, Sendable {
        let airport: String
        let carrier: String
    }

    let root = Store(initialState: 0) { (events: inout Int, _: Departure) in events += 1 }
    let airports: [Store<ParentAndChild<Int, Tally>, Departure>]
    let carriers: [Leg: CarrierStore]
    /// An event with its flight.
    let departures: [(leg: Leg, departure: Departure)]

    init(_ events: FlightEvents) {
        departures = events.actions.map { action in
            switch action {
            case .departed(let airport, let carrier, let delay):
                (Leg(airport: airport, carrier: carrier), .departed(delay: delay))
            case .cancelled(let airport, let carrier): (Leg(airport: airport, carrier: carrier), .cancelled)
            }
        }
        var airports: [String: Store<ParentAndChild<Int, Tally>, Departure>] = [:]
        var carriers: [Leg: CarrierStore] = [:]
        for (leg, _) in departures where carriers[leg] == nil {
            let airport = airports[leg.airport] ?? root.child(initialState: Tally(), reducer: Reduce(Self.count))
            airports[leg.airport] = airport
            carriers[leg] = airport.child(initialState: Tally(), reducer: Reduce(Self.count))
        }
        self.airports = Array(airports.values)
        self.carriers = carriers
    }

    @Sendable
    private static func count(_ tally: inout Tally, _ departure: Departure) {
        switch departure {
        case .departed(let delay):
            tally.flights += 1
            tally.delaySum += delay
        case .cancelled: tally.cancelled += 1
        }
    }

    func send(_ number: Int) {
        let (leg, departure) = departures[number]
        carriers[leg]?.send(departure)
    }
}
