import ActorStore

/// Passengers that each wait for a flight: they observe its entry in the board's table, and leave after its last event.
///
/// An action wakes only the passengers of its flight, however many wait for others.
struct Passengers: Sendable {
    private let flights: [(FlightID, StoreSequence<FlightStatus?>)]

    init(board: BoardTree.BoardStore, flights: some Sequence<FlightID>) {
        self.flights = flights.map { flight in (flight, board.values(of: \.flights, key: flight)) }
    }

    /// Waits until all have left, or the store is shut down.
    ///
    /// - Returns: The last value of each; nil for a flight that never appeared.
    func wait() async -> [FlightID: FlightStatus?] {
        await withTaskGroup(of: (FlightID, FlightStatus?).self) { group in
            for (flight, statuses) in flights {
                group.addTask { (flight, await Self.end(of: statuses)) }
            }
            return await group.reduce(into: [:]) { seen, last in seen.updateValue(last.1, forKey: last.0) }
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
