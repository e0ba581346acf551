/// The identity of a flight: its place in the file, because airlines reuse their numbers.
struct FlightID: Hashable, Sendable {
    let row: Int
}
