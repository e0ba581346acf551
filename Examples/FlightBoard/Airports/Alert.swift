/// An announcement of an airport's rolling delay.
struct Alert: Equatable, Sendable {
    /// Whether the airport is late, or no longer late.
    enum Kind: Sendable {
        case raised, cleared
    }

    let kind: Kind
    let airport: AirportCode

    /// The mean over the window, in minutes.
    let rollingDelay: Double
    let time: BoardTime
}
