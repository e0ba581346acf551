import ActorStore

@testable import TestFixtures

/// A stock that requests take from.
struct Stockroom: Reducer {
    struct State: Equatable, Sendable {
        var available = 0
        var log: [String] = []
    }

    enum Action: Sendable {
        case take(Take)
        case note(String)
        case count(Count)
        case find(Find)
        /// Blocks the reducer until released.
        case hold(Hold)
    }

    /// Takes a number of items if available, and responds whether it did.
    struct Take: Request, Equatable {
        static let casePath = CasePath(embed: Action.take) { if case .take(let take) = $0 { take } else { nil } }
        var quantity = 1

        func reduce(into state: inout State) -> Bool {
            guard state.available >= quantity else { return false }
            state.available -= quantity
            return true
        }
    }

    /// The number of items, a request without a response.
    struct Count: Request, Equatable {
        static let casePath = CasePath(embed: Action.count) { if case .count(let count) = $0 { count } else { nil } }

        func reduce(into state: inout State) -> Int { state.available }
    }

    /// The last line of the log with this text.
    struct Find: Request, Equatable {
        static let casePath = CasePath(embed: Action.find) { if case .find(let find) = $0 { find } else { nil } }
        let line: String

        func reduce(into state: inout State) -> String? { state.log.last { $0 == line } }
    }

    var body: some Reducer<State, Action> {
        RequestReducer(Take.self)
        RequestReducer(Find.self)
        Reduce<State, Action> { state, action in
            switch action {
            case .take(let take): state.log.append("take \(take.quantity)")
            case .note(let line): state.log.append(line)
            case .count: state.log.append("count")
            case .find: break
            case .hold(let hold): hold.enter()
            }
        }
    }

    static func store(
        available: Int = 0,
        interceptors: [Interceptor<State, Action>] = [],
        configuration: StoreConfiguration = StoreConfiguration()
    ) -> Store<State, Action> {
        Store(
            initialState: State(available: available),
            reducer: Stockroom(),
            interceptors: interceptors,
            configuration: configuration
        )
    }
}

extension Store where State == Stockroom.State, Action == Stockroom.Action {
    /// Keeps the store busy in a reducer on another thread until the hold is released.
    nonisolated func holdUp() async -> Hold {
        let hold = Hold()
        onThread { self.send(.hold(hold)) }
        await hold.waitUntilEntered()
        return hold
    }
}
