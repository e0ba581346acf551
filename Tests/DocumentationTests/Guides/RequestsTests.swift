import ActorStore
import Testing

@testable import TestFixtures

struct Theater: Reducer {
    struct State: Equatable, Sendable {
        var free = 200
        var lastNumber = 0
    }

    enum Action: Sendable {
        case reserve(Reserve)
        case cancelled(seats: Int)
    }

    struct Reserve: Request {
        static let casePath = CasePath(embed: Action.reserve) {
            if case .reserve(let reserve) = $0 { reserve } else { nil }
        }

        let seats: Int

        /// The number of the reservation, or nil if there are not enough seats.
        func reduce(into state: inout State) -> Int? {
            guard seats <= state.free else { return nil }
            state.free -= seats
            state.lastNumber += 1
            return state.lastNumber
        }
    }

    var body: some Reducer<State, Action> {
        RequestReducer(Reserve.self)
        Reduce<State, Action> { state, action in
            if case .cancelled(let seats) = action { state.free += seats }
        }
    }
}

@Suite("The guide to requests", .timeLimit(.minutes(10)))
struct RequestsTests {
    func reserve(_ seats: Int, in theater: Store<Theater.State, Theater.Action>) async throws -> Int? {
        try await theater.ask(Theater.Reserve(seats: seats))
    }

    struct Kiosk: Reducer {
        let print: @Sendable (Int) async -> Void

        func reduce(into state: inout Theater.State, action: Theater.Action) -> Effect<Theater.Action> {
            switch action {
            case .reserve(let reserve):
                let number = reserve.reduce(into: &state)
                guard let number else { return .answer(number) }
                return .merge(.answer(Int?.some(number)), .run { _ in await print(number) })
            case .cancelled(let seats):
                state.free += seats
                return .none
            }
        }
    }

    func open(_ store: Store<Int, Int>) async throws {
        try await withTimeout(.seconds(30)) { try await store.perform(1) }
    }

    func close(_ store: Store<Theater.State, Theater.Action>) async throws -> Int {
        try await store.withIsolation("close the theater") { theater in
            defer { theater.free = 0 }
            return theater.free
        }
    }

    @Test("A theater is closed by an operator, and returns the number of free seats")
    func closing() async throws {
        let theater = Store(initialState: Theater.State(free: 3), reducer: Theater())
        #expect(try await close(theater) == 3)
        #expect(try await reserve(1, in: theater) == nil)
    }

    @Test("A reservation gets a number, and none if the theater is full")
    func theater() async throws {
        let theater = Store(initialState: Theater.State(free: 3), reducer: Theater())
        #expect(try await reserve(2, in: theater) == 1)
        #expect(try await reserve(2, in: theater) == nil)
        try await theater.dispatch(.cancelled(seats: 1))
        #expect(try await reserve(2, in: theater) == 2)
    }

    @Test("A request is answered and starts an effect")
    func kiosk() async throws {
        let printed = Collector<Int>()
        let store = Store(initialState: Theater.State(free: 3), reducer: Kiosk { printed.append($0) })
        #expect(try await reserve(2, in: store) == 1)
        #expect(try await reserve(2, in: store) == nil)
        await store.shutdown(drain: .finishEffects)
        #expect(printed.elements == [1])
    }

    @Test("An action is performed with a timeout")
    func performing() async throws {
        let store = Store(initialState: 0) { (count: inout Int, step: Int) in count += step }
        try await open(store)
        #expect(store.snapshot == 1)
    }
}
