/// The counts of a carrier. Delays are added as integers, so that their order does not matter.
struct CarrierFigures: Equatable, Sendable {
    var flights = 0
    var departed = 0
    var cancelled = 0

    /// Minutes, over departed flights.
    var delaySum = 0

    /// Minutes per departed flight; nil before the first.
    var meanDelay: Double? {
        departed == 0 ? nil : Double(delaySum) / Double(departed)
    }

    /// Adds other figures.
    static func += (sum: inout CarrierFigures, part: CarrierFigures) {
        sum.flights += part.flights
        sum.departed += part.departed
        sum.cancelled += part.cancelled
        sum.delaySum += part.delaySum
    }
}

extension Dictionary<Leg, CarrierFigures> {
    /// The figures of each carrier from all its airports together.
    var byCarrier: [CarrierCode: CarrierFigures] {
        reduce(into: [:]) { sums, entry in
            sums[entry.key.carrier, default: CarrierFigures()] += entry.value
        }
    }
}
