import ActorStore
import ActorStoreComposition

/// The stores: the board, below it its airports, and below each airport its carriers.
///
/// An action enters at its place and goes up from there: an event of a flight is counted by the carrier, then by its
/// airport, then by the board, in one turn, so that none of them is ever seen ahead of the others.
struct BoardTree: Sendable {
    typealias BoardStore = Store<Board.State, Board.Action>
    typealias AirportStore = Store<ParentAndChild<Board.State, Airport.State>, Airport.Action>
    typealias CarrierStore = Store<
        ParentAndChild<ParentAndChild<Board.State, Airport.State>, CarrierFigures>, FlightNews
    >

    let board: BoardStore
    private(set) var airports: [AirportCode: AirportStore] = [:]
    private(set) var carriers: [Leg: CarrierStore] = [:]

    /// Creates the stores of these legs' flights.
    ///
    /// - Parameters:
    ///   - legs: The carriers of each airport of origin.
    ///   - rules: The rules of the airports.
    ///   - alerts: The output of their announcements.
    ///   - executor: Runs their effects; nil for the threads of the system.
    ///   - clocks: The clocks of their effects; an airport without one has the clock of the tree's creation.
    init(
        legs: some Sequence<Leg>,
        rules: AirportRules = AirportRules(),
        alerts: AlertSink = .silent,
        executor: EffectExecutor? = nil,
        clocks: [AirportCode: BoardClock] = [:]
    ) {
        board = Store(
            initialState: Board.State(),
            reducer: Board(),
            configuration: StoreConfiguration(name: "board", executor: executor)
        )
        for leg in legs where carriers[leg] == nil {
            let airport =
                airports[leg.origin]
                ?? withDependencies {
                    if let clock = clocks[leg.origin] { $0.clock = clock }
                } operation: {
                    Self.airport(Airport(code: leg.origin, rules: rules, alerts: alerts), below: board)
                }
            airports[leg.origin] = airport
            carriers[leg] = Self.carrier(leg.carrier, below: airport)
        }
    }

    /// A child of the board. Its actions reach the board with the airport's code, which the airport's own actions do
    /// not contain. Its weather stays below the board.
    private static func airport(_ airport: Airport, below board: BoardStore) -> AirportStore {
        let code = airport.code
        let state = Airport.State(thresholds: airport.rules.alerts)
        return board.child(initialState: state, reducer: airport, name: code.text) { action in
            switch action {
            case .flight(let news, let carrier): .flight(news, Leg(origin: code, carrier: carrier))
            case .crossed(let kind): .crossed(kind)
            case .announced: .announced
            case .weather: nil
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
