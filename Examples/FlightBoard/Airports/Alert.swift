/// News about an airport's rolling delay.
struct Alert: Equatable, Sendable {
    /// Whether it begins or ends.
    enum Kind: Sendable {
        case raised, cleared
    }

    let kind: Kind
    let airport: AirportCode

    /// Counts an airport's alerts from 1. Effects finish in any order; the number tells which one is newer.
    let number: Int

    /// The mean over the window, in minutes, that crossed the threshold.
    let rollingDelay: Double
    let time: BoardTime
}
