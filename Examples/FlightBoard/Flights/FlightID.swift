/// What tells a flight from all others: its place in the file, because airlines use their numbers again and again.
struct FlightID: Hashable, Sendable {
    let row: Int
}
