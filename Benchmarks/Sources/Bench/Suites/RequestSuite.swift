import ActorStore
import Benchmarking

/// The cost of a response decided by the reducer, beside a bare actor that returns one, and the cost of awaiting all
/// feedback of an action.
let requestSuite = Suite(
    "requests",
    [
        Benchmark("ask", comparedWith: [Actors.bare, "dispatch, then snapshot"]) {
            Store(initialState: Seats.State(), reducer: Seats())
        } measure: { store, count in
            for _ in 0..<count { blackHole(try await store.ask(Seats.Reserve(seats: 1))) }
        },
        Benchmark("ask a child", comparedWith: ["ask"]) {
            () -> (root: Hall, child: Store<ParentAndChild<Seats.State, Int>, Seats.Action>) in
            let root = Store(initialState: Seats.State(), reducer: Seats())
            return (
                root,
                root.child(initialState: 0, reducer: Reduce { (asked: inout Int, _: Seats.Action) in asked &+= 1 })
            )
        } measure: { stores, count in
            for _ in 0..<count { blackHole(try await stores.child.ask(Seats.Reserve(seats: 1))) }
        },
        Benchmark("dispatch, then snapshot") {
            Store(initialState: Seats.State(), reducer: Seats())
        } measure: { store, count in
            for _ in 0..<count {
                try await store.dispatch(.reserve(Seats.Reserve(seats: 1)))
                blackHole(store.snapshot.reserved)
            }
        },
        Benchmark(Actors.bare) {
            Box()
        } measure: { box, count in
            for _ in 0..<count { blackHole(await box.reserve(1)) }
        },
        Benchmark("perform", comparedWith: ["dispatch, then finish"]) {
            Store(initialState: Seats.State(), reducer: Seats())
        } measure: { store, count in
            for _ in 0..<count { try await store.perform(.work) }
        },
        Benchmark("dispatch, then finish") {
            Store(initialState: Seats.State(), reducer: Seats())
        } measure: { store, count in
            for _ in 0..<count { try await store.dispatch(.work).finish() }
        },
    ]
)

private typealias Hall = Store<Seats.State, Seats.Action>

/// Reserved seats.
private struct Seats: Reducer {
    struct State: Equatable, Sendable {
        var reserved = 0
    }

    enum Action: Sendable {
        case reserve(Reserve)
        case work
    }

    struct Reserve: Request {
        static let casePath = CasePath(embed: Action.reserve) {
            if case .reserve(let value) = $0 { value } else { nil }
        }
        let seats: Int

        func reduce(into state: inout State) -> Int {
            state.reserved &+= seats
            return state.reserved
        }
    }

    func reduce(into state: inout State, action: Action) -> Effect<Action> {
        switch action {
        case .reserve(let reserve): .answer(reserve.reduce(into: &state))
        case .work: .run { _ in }
        }
    }
}

/// B1: a bare actor that returns the response.
private actor Box {
    private var reserved = 0

    func reserve(_ seats: Int) -> Int {
        reserved &+= seats
        return reserved
    }
}
