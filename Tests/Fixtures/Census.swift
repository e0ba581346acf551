import ActorStore

/// Counts its living members: what stores, queues, observers and effects retain.
final class Census: Sendable {
    private let count = LockedValue((living: 0, most: 0, born: 0))

    /// The current number.
    var living: Int { count.withLock { $0.living } }
    /// The maximum number so far.
    var most: Int { count.withLock { $0.most } }

    func member() -> Member { Member(self) }

    fileprivate func add() -> Int {
        count.withLock { count in
            count.living += 1
            count.born += 1
            count.most = max(count.most, count.living)
            return count.born
        }
    }

    fileprivate func remove() { count.withLock { $0.living -= 1 } }

    /// A counted member.
    final class Member: Sendable, Equatable {
        private let census: Census
        /// The number of members at its creation, itself included.
        let number: Int

        fileprivate init(_ census: Census) {
            self.census = census
            number = census.add()
        }

        deinit { census.remove() }

        static func == (left: Member, right: Member) -> Bool { left === right }
    }
}

/// Retains its last member.
struct Parcels: Reducer {
    struct State: Equatable, Sendable {
        var last: Census.Member?
        var received = 0
    }

    enum Action: Sendable {
        case put(Census.Member)
        case start(Effect<Action>, Census.Member)
        case hold(Hold)
    }

    /// Observes the lifetime of the reducer.
    var token: Census.Member?

    func reduce(into state: inout State, action: Action) -> Effect<Action> {
        switch action {
        case .put(let member):
            state.last = member
            state.received += 1
        case .start(let effect, _):
            return effect
        case .hold(let hold):
            hold.enter()
        }
        return .none
    }

    static func store(
        token: Census.Member? = nil,
        configuration: StoreConfiguration = StoreConfiguration()
    ) -> Store<State, Action> {
        Store(initialState: State(), reducer: Parcels(token: token), configuration: configuration)
    }
}

extension Store where State == Parcels.State, Action == Parcels.Action {
    /// Keeps the store busy in its reducer on another thread until the hold is released.
    nonisolated func holdUpParcels() async -> Hold {
        let hold = Hold()
        onThread { [self] in send(.hold(hold)) }
        await hold.waitUntilEntered()
        return hold
    }
}
