/// An event of a flight at a time.
struct FlightEvent: Equatable, Sendable {
    /// The event.
    enum Kind: UInt8, Sendable {
        case scheduled, departed, arrived, cancelled, diverted
    }

    let time: BoardTime
    let kind: Kind

    /// The flight's index among the flights of the file.
    let flight: Int

    /// All events of a flight, in order.
    ///
    /// A flight that leaves early appears on the board at its departure: nothing departs before it is scheduled.
    static func events(of flight: Flight, at index: Int) -> [FlightEvent] {
        func event(_ kind: Kind, _ time: BoardTime) -> FlightEvent {
            FlightEvent(time: time, kind: kind, flight: index)
        }
        let scheduled = flight.scheduled
        switch flight.outcome {
        case .cancelled:
            return [event(.scheduled, scheduled), event(.cancelled, scheduled)]
        case .arrived(let delay, let minutesInAir):
            let departure = scheduled.advanced(by: delay)
            return [
                event(.scheduled, min(scheduled, departure)), event(.departed, departure),
                event(.arrived, departure.advanced(by: minutesInAir)),
            ]
        case .diverted(let delay, let minutesInAir):
            let departure = scheduled.advanced(by: delay)
            return [
                event(.scheduled, min(scheduled, departure)), event(.departed, departure),
                event(.diverted, departure.advanced(by: minutesInAir)),
            ]
        }
    }
}
