import ActorStore
import Synchronization
import Testing
import TreeCollections

@testable import FlightBoard

@Suite("The tree of stores", .timeLimit(.minutes(10)))
struct BoardTreeTests {
    private let united = Leg(origin: "EWR", carrier: "UA")
    private let delta = Leg(origin: "EWR", carrier: "DL")
    private let elsewhere = Leg(origin: "JFK", carrier: "UA")
    private let time = FlightSample.scheduled

    private func news(_ row: Int, _ phase: FlightPhase) -> FlightNews {
        FlightNews(flight: FlightID(row: row), phase: phase, time: time)
    }

    @Test(
        "An event of a flight is counted by its carrier, its airport and the board, and by no other store, as one action"
    )
    func levels() async throws {
        let tree = BoardTree(legs: [united, delta, elsewhere])
        try await tree.carriers[united]?.dispatch(news(1, .scheduled))
        try await tree.carriers[united]?.dispatch(news(1, .departed(delay: 8)))
        try await tree.carriers[elsewhere]?.dispatch(news(2, .scheduled))
        #expect(tree.board.revision == 3)
        let state = tree.state
        #expect(
            state.carriers == [
                united: CarrierFigures(flights: 1, departed: 1, delaySum: 8), delta: CarrierFigures(),
                elsewhere: CarrierFigures(flights: 1),
            ]
        )
        #expect(state.carriers.byCarrier["UA"] == CarrierFigures(flights: 2, departed: 1, delaySum: 8))
        #expect(state.airports.mapValues(\.figures.flights) == ["EWR": 1, "JFK": 1])
        #expect(state.whole == BoardFigures(flights: 2, departed: 1, time: time))
        #expect(state.flights[FlightID(row: 1)]?.leg == united)
        #expect(state.flights[FlightID(row: 2)]?.leg == elsewhere)
        #expect(Differences.betweenLevels(of: state) == [])
    }

    @Test("Observers of every level see the same flights when they are notified, once each")
    func told() async throws {
        let tree = BoardTree(legs: [united])
        let airport = try #require(tree.airports["EWR"])
        let carrier = try #require(tree.carriers[united])
        let seen = Mutex<[[Int]]>([])
        // Each of them reads all three levels, in the turn of its notification.
        let look: @Sendable (Int) -> Void = { [weak carrier] _ in
            guard let state = carrier?.snapshot else { return }
            let airport = state.parent
            let counts = [
                airport.parent.whole.flights, airport.parent.flights.count, airport.local.figures.flights,
                state.local.flights,
            ]
            seen.withLock { $0.append(counts) }
        }
        let tokens = [
            tree.board.observe(\.whole.flights, look), airport.observe(\.local.figures.flights, look),
            carrier.observe(\.local.flights, look),
            carrier.observe(.entry(of: \.parent.parent.flights, key: FlightID(row: 1))) { _ in look(0) },
        ]
        try await carrier.dispatch(news(1, .scheduled))
        #expect(
            seen.withLock { $0 } == Array(repeating: [0, 0, 0, 0], count: 4) + Array(repeating: [1, 1, 1, 1], count: 4)
        )
        withExtendedLifetime(tokens) {}
    }

    @Test("No snapshot shows an event that one level has counted and another one has not")
    func snapshots() async throws {
        let tree = BoardTree(legs: [united])
        let carrier = try #require(tree.carriers[united])
        let torn = await withTaskGroup(of: Int.self) { group in
            for sender in 0..<4 {
                group.addTask {
                    for row in 0..<1_000 {
                        carrier.send(news(sender * 1_000 + row, .scheduled))
                        if row % 10 == 0 { await Task.yield() }
                    }
                    return 0
                }
            }
            group.addTask { await Self.countTorn(carrier, among: 4_000) }
            return await group.reduce(0, +)
        }
        #expect(torn == 0)
        #expect(await carrier.state.local.flights == 4_000)
        #expect(Differences.betweenLevels(of: tree.state) == [])
    }

    /// Reads a number of snapshots, and counts those whose levels disagree.
    private static func countTorn(_ carrier: BoardTree.CarrierStore, among total: Int) async -> Int {
        var count = 0
        for number in 0..<total {
            let state = carrier.snapshot
            let board = state.parent.parent
            let counts = [board.whole.flights, board.flights.count, state.parent.local.figures.flights]
            if counts.contains(where: { $0 != state.local.flights }) { count += 1 }
            if number % 10 == 0 { await Task.yield() }
        }
        return count
    }

    @Test("A passenger follows one flight, and leaves after its last event")
    func passengers() async throws {
        let tree = BoardTree(legs: [united])
        let carrier = try #require(tree.carriers[united])
        let passengers = Passengers(board: tree.board, flights: [FlightID(row: 1), FlightID(row: 2)])
        #expect(tree.board.statistics.observers == 2)
        async let seen = passengers.wait()
        for phase in [FlightPhase.scheduled, .departed(delay: 0), .arrived] {
            try await carrier.dispatch(news(1, phase))
        }
        for phase in [FlightPhase.scheduled, .cancelled] { try await carrier.dispatch(news(2, phase)) }
        // The store is not shut down: the passengers leave by themselves.
        let flights = tree.board.snapshot.flights
        #expect(
            await seen == [FlightID(row: 1): flights[FlightID(row: 1)], FlightID(row: 2): flights[FlightID(row: 2)]]
        )
    }

    @Test("Figures that do not add up are named")
    func levelsThatDiffer() {
        var state = BoardTree.State()
        state.whole.flights = 2
        state.airports["EWR"] = Airport.State(thresholds: AlertThresholds())
        state.airports["EWR"]?.figures.flights = 1
        state.carriers[united] = CarrierFigures(flights: 1, cancelled: 3)
        #expect(
            Differences.betweenLevels(of: state) == [
                "flights of the board: 2, but 1 on the level below",
                "cancelled flights of EWR: 0, but 3 on the level below",
                "the board's flights are not those that it has counted",
            ]
        )
    }
}
