import ActorStore
import ActorStoreSimulation

/// A system of stores that uses most features: a root with two shelves as children, deliveries that are retried,
/// superseded and cancelled, interceptors, and a bounded side store.
enum Depot {
    struct Entry: Hashable, Sendable {
        let sender: Int
        let number: Int
        /// The child at which it was entered; nil at the root.
        var shelf: Int?
        /// Whether it is the last one of its turn.
        var endsTurn = true
        /// Whether the interceptor lets it through.
        var isForbidden = false
    }

    /// One attempt to deliver an item; a newer one of the same item supersedes it.
    struct Delivery: Hashable, Sendable {
        let number: Int
        let item: Int
        var shelf: Int?
        /// The number of failing attempts; with 3 all fail.
        let failures: Int
        /// Whether it is cancelled at the last moment: just before it reports its end.
        var isRevoked = false
    }

    enum Action: Hashable, Sendable {
        case enter(Entry)
        case deliver(Delivery)
        case delivered(Delivery)
        case failed(Delivery)
        case cancel(item: Int, shelf: Int?)
    }

    struct State: Hashable, Sendable {
        var entries: [Entry] = []
        var deliveries = 0
        var untouched = 0
    }

    struct Connection: Error {}

    /// The root's reducer.
    struct Office: Reducer {
        let simulation: Simulation
        let log: Log

        func reduce(into state: inout State, action: Action) -> Effect<Action> {
            log.reduced(action, by: "office")
            simulation.preempt()
            switch action {
            case .enter(let entry): state.entries.append(entry)
            case .delivered: state.deliveries += 1
            case .deliver, .failed, .cancel: break
            }
            simulation.preempt()
            return Depot.effect(of: action, for: nil, simulation, log)
        }
    }

    /// A child's reducer.
    struct Shelf: Reducer {
        let number: Int
        let simulation: Simulation
        let log: Log

        func reduce(into state: inout State, action: Action) -> Effect<Action> {
            log.reduced(action, by: "shelf")
            if case .enter(let entry) = action { state.entries.append(entry) }
            simulation.preempt()
            return Depot.effect(of: action, for: number, simulation, log)
        }
    }

    /// The requests of the store at which an action came in.
    private static func effect(
        of action: Action,
        for shelf: Int?,
        _ simulation: Simulation,
        _ log: Log
    ) -> Effect<Action> {
        switch action {
        case .deliver(let delivery) where delivery.shelf == shelf:
            let policy = RetryPolicy(maxAttempts: 3, backoff: .exponential(base: .milliseconds(10)), jitter: .full)
            return .run(id: delivery.item, policy: .cancelInFlight) { send in
                log.running.append(1)
                defer { log.running.append(-1) }
                try await simulation.clock.sleep(for: .milliseconds(delivery.number % 7 * 5))
                let attempt = RetryAttempt.current?.number ?? 1
                if attempt <= delivery.failures { throw Connection() }
                simulation.preempt()
                if delivery.isRevoked { log.revoke(delivery) }
                send(.delivered(delivery))
            } catch: { error in
                error is Connection ? .failed(delivery) : nil
            }
            .retry(policy, clock: simulation.clock, random: simulation.makeGenerator())
        case .cancel(let item, shelf):
            return .cancel(id: item)
        default:
            return .none
        }
    }
}
