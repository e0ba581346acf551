import ActorStore
import TreeCollections

/// The observers of the tree: one for the whole board, one for each airport, one for each carrier at each airport, one
/// for the changes of all flights, and some passengers, who wait for one flight each.
///
/// All of them begin observing at the creation, so that they see the end of a replay that ends before their tasks run.
struct Observers: Sendable {
    private let display: any BoardDisplay
    private let whole: StoreSequence<BoardFigures>
    private let airports: [AirportCode: StoreSequence<AirportFigures>]
    private let carriers: [Leg: StoreSequence<CarrierFigures>]
    private let changes: TableChanges<TreeDictionary<FlightID, FlightStatus>>
    private let passengers: Passengers

    init(tree: BoardTree, schedule: Schedule, display: any BoardDisplay) {
        self.display = display
        whole = tree.board.values(of: \.whole)
        airports = tree.airports.mapValues { airport in airport.values(of: \.local.figures) }
        carriers = tree.carriers.mapValues { carrier in carrier.values(of: \.local) }
        changes = tree.board.changes(of: \.flights)
        passengers = Passengers(board: tree.board, flights: Self.awaited(in: schedule))
    }

    /// The number of flights per passenger.
    private static let passengerInterval = 100

    private static func awaited(in schedule: Schedule) -> [FlightID] {
        stride(from: 0, to: schedule.flights.count, by: passengerInterval).map(FlightID.init)
    }

    /// Follows until the tree is shut down.
    func follow() async -> LastSeen {
        await withTaskGroup(of: Seen.self) { group in
            group.addTask { .whole(await last(of: whole) { await display.show($0) }) }
            for (code, figures) in airports {
                group.addTask { .airport(code, await last(of: figures) { await display.show($0, of: code) }) }
            }
            for (leg, figures) in carriers {
                group.addTask { .carrier(leg, await last(of: figures) { await display.show($0, of: leg) }) }
            }
            group.addTask { .flights(await collectChanges()) }
            group.addTask { .awaited(await passengers.wait()) }
            return await group.reduce(into: LastSeen()) { last, seen in seen.note(in: &last) }
        }
    }

    /// Shows each value, and returns the last.
    private func last<Value: Sendable>(
        of values: StoreSequence<Value>,
        show: (Value) async -> Void
    ) async -> Value? {
        var last: Value?
        for await value in values {
            await show(value)
            last = value
        }
        return last
    }

    /// Assembles the table of flights from its changes alone.
    private func collectChanges() async -> TreeDictionary<FlightID, FlightStatus> {
        var flights: TreeDictionary<FlightID, FlightStatus> = [:]
        for await changes in changes {
            for entry in changes.removed { flights[entry.key] = nil }
            for entry in changes.inserted { flights[entry.key] = entry.value }
            for entry in changes.updated { flights[entry.key] = entry.newValue }
        }
        return flights
    }
}

/// The last value of one observer.
private enum Seen: Sendable {
    case whole(BoardFigures?)
    case airport(AirportCode, AirportFigures?)
    case carrier(Leg, CarrierFigures?)
    case flights(TreeDictionary<FlightID, FlightStatus>)
    case awaited([FlightID: FlightStatus?])

    func note(in last: inout LastSeen) {
        switch self {
        case .whole(let figures): last.whole = figures
        case .airport(let code, let figures): last.airports[code] = figures
        case .carrier(let leg, let figures): last.carriers[leg] = figures
        case .flights(let flights): last.flights = flights
        case .awaited(let flights): last.awaited = flights
        }
    }
}
