import ActorStore
import ActorStoreSimulation
import Testing

@testable import TestFixtures

/// The dependency of the box office in `SimulatingAService.md`.
protocol Payments: Sendable {
    func charge(_ customer: Int) async throws
}

/// The listings of the article "Simulating a service".
@Suite("The article about simulating a service", .timeLimit(.minutes(10)))
struct SimulatingAServiceTests {
    struct BoxOffice: Reducer {
        struct State: Hashable, Sendable {
            var free = 2
            var reserved: Set<Int> = []
            var sold: Set<Int> = []
        }
        enum Action: Hashable, Sendable {
            case reserve(customer: Int)
            case cancel(customer: Int)
            case paid(customer: Int)
            case released(customer: Int)
        }
        let payments: any Payments
        let clock: any Clock<Duration>

        func reduce(into state: inout State, action: Action) -> Effect<Action> {
            switch action {
            case .reserve(let customer):
                guard state.free > 0, state.reserved.insert(customer).inserted else { return .none }
                state.free -= 1
                return .task(id: customer) {
                    try await payments.charge(customer)
                    return .paid(customer: customer)
                } catch: { _ in
                    .released(customer: customer)
                }
                .retry(RetryPolicy(maxAttempts: 3, backoff: .constant(.seconds(60))), clock: clock)
            case .cancel(let customer):
                guard state.reserved.remove(customer) != nil else { return .none }
                state.free += 1
                return .cancel(id: customer)
            case .paid(let customer):
                state.reserved.remove(customer)
                state.sold.insert(customer)
                return .none
            case .released(let customer):
                state.reserved.remove(customer)
                state.free += 1
                return .none
            }
        }
    }

    /// A box office with a mistake: it does not cancel the payments of cancelled reservations.
    struct ForgetfulBoxOffice: Reducer {
        let base: BoxOffice

        func reduce(into state: inout BoxOffice.State, action: BoxOffice.Action) -> Effect<BoxOffice.Action> {
            let effect = base.reduce(into: &state, action: action)
            if case .cancel = action { return .none }
            return effect
        }
    }

    struct Declined: Error {}

    /// Takes its time, and fails now and then.
    struct SlowPayments: Payments {
        let simulation: Simulation

        init(_ simulation: Simulation) { self.simulation = simulation }

        func charge(_ customer: Int) async throws {
            try await simulation.clock.sleep(for: .seconds(simulation.number(below: 5)))
            if simulation.number(below: 3) == 0 { throw Declined() }
        }
    }

    struct Oversold: Error, CustomStringConvertible {
        let state: BoxOffice.State
        var description: String {
            let tickets = state.free + state.reserved.count + state.sold.count
            return """
                \(tickets) tickets for 2 seats: free \(state.free), reserved \(state.reserved.sorted()), \
                sold \(state.sold.sorted())
                """
        }
    }

    /// States in which there are more tickets than seats.
    final class Problems: Sendable {
        private let states = Collector<BoxOffice.State>()

        func check(_ state: BoxOffice.State) {
            if state.free + state.reserved.count + state.sold.count > 2 { states.append(state) }
        }

        func throwFirst() throws {
            if let state = states.elements.first { throw Oversold(state: state) }
        }
    }

    @Test("One run of the box office sells the available seats")
    func oneRun() async throws {
        let state = try await Simulation(seed: 7).run { simulation in
            let store = Store(
                initialState: BoxOffice.State(),
                reducer: BoxOffice(payments: SlowPayments(simulation), clock: simulation.clock),
                configuration: StoreConfiguration(executor: simulation.executor)
            )
            let customers = (1...3).map { customer in
                simulation.start("customer \(customer)") {
                    try await store.dispatch(.reserve(customer: customer)).finish()
                }
            }
            for customer in customers { try await customer.value }
            return store.snapshot
        }
        #expect(state.reserved.isEmpty)
        #expect(state.free + state.sold.count == 2)
    }

    enum Request: Sendable { case reserve, cancel }

    @Test("Seeds of reservations and cancellations never sell more tickets than there are seats")
    func manySeeds() async throws {
        try await Simulation.check(seeds: .first(500)) { generator in
            SimulatedWorkload(senders: 4, count: 12, using: &generator) { generator, _ in
                generator.chance(0.6) ? Request.reserve : .cancel
            }
        } run: { simulation, workload in
            let problems = Problems()
            let store = Store(
                initialState: BoxOffice.State(),
                reducer: BoxOffice(payments: SlowPayments(simulation), clock: simulation.clock),
                configuration: StoreConfiguration(executor: simulation.executor)
            )
            let token = store.observe(\.self) { state in
                // Others may come at this moment, as from another thread.
                simulation.preempt()
                problems.check(state)
            }
            try await simulation.perform(workload) { customer, request in
                switch request {
                case .reserve: try await store.dispatch(.reserve(customer: customer))
                case .cancel: store.send(.cancel(customer: customer))
                }
            }
            await store.shutdown(drain: .finishEffects)
            token.cancel()
            try problems.throwFirst()
        }
    }

    @Test("A box office that does not cancel payments is detected, by a seed and a few requests")
    func mistake() async throws {
        let failure = try await #require(throws: SimulationFailure<Request>.self) {
            try await Simulation.check(seeds: .exactly(0..<500)) { generator in
                SimulatedWorkload(senders: 4, count: 12, using: &generator) { generator, _ in
                    generator.chance(0.6) ? Request.reserve : .cancel
                }
            } run: { simulation, workload in
                let payments = SlowPayments(simulation)
                let store = Store(
                    initialState: BoxOffice.State(),
                    reducer: ForgetfulBoxOffice(base: BoxOffice(payments: payments, clock: simulation.clock)),
                    configuration: StoreConfiguration(executor: simulation.executor)
                )
                try await simulation.perform(workload) { customer, request in
                    switch request {
                    case .reserve: try await store.dispatch(.reserve(customer: customer))
                    case .cancel: store.send(.cancel(customer: customer))
                    }
                }
                await store.shutdown(drain: .finishEffects)
                let problems = Problems()
                problems.check(store.snapshot)
                try problems.throwFirst()
            }
        }
        #expect(failure.error is Oversold)
        #expect(failure.workload.steps.count <= 4, "\(failure)")
    }

    @Test("A history of a few senders is explained by one order of their actions")
    func history() async throws {
        let actions = try await Simulation(seed: 1).run { simulation in
            let configuration = StoreConfiguration(executor: simulation.executor)
            let store = Store(initialState: [Int](), configuration: configuration) {
                (numbers: inout [Int], number: Int) in
                numbers.append(number)
            }
            let history = StoreHistory(of: StoreAccess(store))
            let senders = (0..<3).map { number in
                let sender = history.sender(number)
                return simulation.start("sender \(number)") {
                    sender.send(number)
                    try await sender.dispatch(10 * number)
                    await sender.snapshot()
                }
            }
            for sender in senders { try await sender.value }
            let actions = try history.check(initialState: []) { numbers, number in numbers.append(number) }
            return actions
        }
        #expect(actions.count == 6)
    }
}
