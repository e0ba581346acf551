import ActorStore

/// The stores: the board, below it its airports, and below each airport the carriers that start there.
///
/// An action enters where it happens and goes up from there: news of a flight are counted by the carrier, then by its
/// airport, then by the board, in one turn, so that nobody sees one of them ahead of the others.
struct BoardTree: Sendable {
    typealias BoardStore = Store<Board.State, Board.Action>
    typealias AirportStore = Store<Joined<Board.State, Airport.State>, Airport.Action>
    typealias CarrierStore = Store<Joined<Joined<Board.State, Airport.State>, CarrierFigures>, FlightNews>

    let board: BoardStore
    private(set) var airports: [AirportCode: AirportStore] = [:]
    private(set) var carriers: [Leg: CarrierStore] = [:]

    /// Makes all stores that flights of these legs need.
    init(legs: some Sequence<Leg>, thresholds: AlertThresholds = AlertThresholds(), alerts: AlertSink = .silent) {
        board = Store(initialState: Board.State(), reducer: Board())
        for leg in legs where carriers[leg] == nil {
            let airport =
                airports[leg.origin]
                ?? Self.airport(leg.origin, Airport.State(thresholds: thresholds), alerts, below: board)
            airports[leg.origin] = airport
            carriers[leg] = Self.carrier(leg.carrier, below: airport)
        }
    }

    /// A child of the board. Its actions reach the board with the airport's code, which the airport's own need not name.
    private static func airport(
        _ code: AirportCode,
        _ state: Airport.State,
        _ alerts: AlertSink,
        below board: BoardStore
    ) -> AirportStore {
        board.child(initialState: state, reducer: Airport(code: code, alerts: alerts), name: code.text) { action in
            switch action {
            case .flight(let news, let carrier): .flight(news, Leg(origin: code, carrier: carrier))
            case .announced(let kind, _): .announced(kind)
            }
        }
    }

    /// A child of an airport.
    private static func carrier(_ code: CarrierCode, below airport: AirportStore) -> CarrierStore {
        airport.child(initialState: CarrierFigures(), reducer: Carrier(), name: code.text) { news in
            .flight(news, of: code)
        }
    }
}
