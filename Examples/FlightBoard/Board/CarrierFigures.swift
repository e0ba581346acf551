/// A carrier's part of the state. Delays are added as whole numbers, so that their order does not matter.
struct CarrierFigures: Equatable, Sendable {
    var flights = 0
    var departed = 0
    var cancelled = 0

    /// Minutes, over departed flights.
    var delaySum = 0

    /// Minutes for each departed flight; nothing before the first.
    var meanDelay: Double? {
        departed == 0 ? nil : Double(delaySum) / Double(departed)
    }
}
