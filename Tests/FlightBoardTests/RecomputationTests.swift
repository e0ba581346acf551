import Testing

@testable import FlightBoard

@Suite("Recomputation")
struct RecomputationTests {
    private func sample() throws -> FlightFile {
        try FlightSample.file(
            FlightSample.row(),
            FlightSample.cancelled,
            FlightSample.diverted,
            FlightSample.row(["origin": "JFK", "carrier": "B6", "dep_delay": "-7"])
        )
    }

    @Test("A plain loop counts the figures of the rows")
    func plainLoop() throws {
        let figures = try Recomputation.figures(of: sample().input)
        #expect(figures.flights == 4 && figures.departed == 3 && figures.cancelled == 1 && figures.diverted == 1)
        #expect(figures.flightsByOrigin == ["EWR": 3, "JFK": 1])
        #expect(figures.carriers["UA"] == CarrierFigures(flights: 3, departed: 2, cancelled: 1, delaySum: 4))
        #expect(figures.carriers["B6"] == CarrierFigures(flights: 1, departed: 1, cancelled: 0, delaySum: -7))
    }

    @Test("A replay agrees with the plain loop, down to the last value of each observer")
    func agreement() async throws {
        let file = try sample()
        let result = try await Replay(schedule: Schedule(file.flights), display: SilentDisplay()).run()
        let recomputed = try Recomputation.figures(of: file.input)
        #expect(Differences.between(store: Figures(result.state), recomputed: recomputed) == [])
        #expect(Differences.between(state: result.state, lastSeen: result.lastSeen) == [])
    }

    @Test("Every figure that differs is named")
    func differences() throws {
        let recomputed = try Recomputation.figures(of: sample().input)
        var store = recomputed
        store.departed += 1
        store.flightsByOrigin["JFK"] = nil
        store.flightsByOrigin["LGA"] = 2
        store.carriers["UA"]?.delaySum = 5
        store.carriers["B6"]?.cancelled = 9
        #expect(
            Differences.between(store: store, recomputed: recomputed) == [
                "departed: the store has 4, the file 3",
                "flights from JFK: the store has nothing, the file 1",
                "flights from LGA: the store has 2, the file nothing",
                "cancelled flights of B6: the store has 9, the file 0",
                "minutes of departure delay of UA: the store has 5, the file 4",
            ]
        )
    }

    @Test("An observer that missed the end is named")
    func observerBehind() throws {
        let leg = Leg(origin: "EWR", carrier: "UA")
        let status = FlightStatus(leg: leg, phase: .arrived, time: FlightSample.scheduled)
        let state = BoardTree.State(
            whole: BoardFigures(flights: 1),
            flights: [FlightID(row: 7): status],
            airports: ["EWR": Airport.State(thresholds: AlertThresholds())],
            carriers: [leg: CarrierFigures(flights: 1, departed: 1, cancelled: 0, delaySum: 3)]
        )
        let late = LastSeen(
            whole: BoardFigures(),
            airports: ["EWR": AirportFigures(flights: 1)],
            awaited: [FlightID(row: 7): FlightStatus(leg: leg, phase: .scheduled, time: status.time)]
        )
        #expect(
            Differences.between(state: state, lastSeen: late) == [
                "the observer of the whole board has not seen its end",
                "the observer of EWR has not seen its end",
                "the observer of UA from EWR has not seen its end",
                "the observer of the flights' changes has not seen its end",
                "the observer of flight 7 has not seen its end",
            ]
        )
        let upToDate = LastSeen(
            whole: state.whole,
            airports: ["EWR": AirportFigures()],
            carriers: state.carriers,
            flights: state.flights,
            awaited: [FlightID(row: 7): status]
        )
        #expect(Differences.between(state: state, lastSeen: upToDate) == [])
    }
}
