import ActorStore
import TreeCollections

/// Those who wait for a flight, one for each: they observe its entry in the board's table, and leave when nothing more
/// will happen to it.
///
/// However many there are, an action wakes only those whose flight it changes, and costs nothing for the others.
struct Passengers: Sendable {
    private let flights: [(FlightID, StoreSequence<FlightStatus?>)]

    init(board: BoardTree.BoardStore, flights: some Sequence<FlightID>) {
        self.flights = flights.map { flight in (flight, board.values(of: \.flights, key: flight)) }
    }

    /// Waits until all have left, or the store is shut down.
    ///
    /// - Returns: what each saw last.
    func wait() async -> TreeDictionary<FlightID, FlightStatus> {
        await withTaskGroup(of: (FlightID, FlightStatus?).self) { group in
            for (flight, statuses) in flights {
                group.addTask { (flight, await Self.end(of: statuses)) }
            }
            return await group.reduce(into: [:]) { seen, last in seen[last.0] = last.1 }
        }
    }

    private static func end(of statuses: StoreSequence<FlightStatus?>) async -> FlightStatus? {
        var last: FlightStatus?
        for await status in statuses {
            last = status
            if status?.phase.isFinal == true { break }
        }
        return last
    }
}
