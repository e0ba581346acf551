import ActorStore
import Testing

@testable import TestFixtures

// The listings of the article "Getting started", in their order.

struct Rates: Reducer {
    struct State: Equatable, Sendable {
        var rates: [String: Double] = [:]
        var conversions = 0
        var problem: String?

        func convert(_ amount: Double, to currency: String) -> Double? { rates[currency].map { amount * $0 } }
    }

    enum Action: Sendable {
        case refreshRequested
        case ratesLoaded([String: Double])
        case refreshFailed(String)
        case converted
    }

    let client: RateClient
}

/// Where rates come from.
struct RateClient: Sendable {
    var rates: @Sendable () async throws -> [String: Double]

    /// Stands for a call over the network.
    static let live = RateClient { ["USD": 1.08, "CHF": 0.94] }
}

extension Rates {
    func reduce(into state: inout State, action: Action) -> Effect<Action> {
        switch action {
        case .refreshRequested:
            state.problem = nil
            return .run(id: "refresh", policy: .cancelInFlight) { send in
                send(.ratesLoaded(try await client.rates()))
            } catch: { error in
                .refreshFailed(String(describing: error))
            }
        case .ratesLoaded(let rates):
            state.rates = rates
        case .refreshFailed(let problem):
            state.problem = problem
        case .converted:
            state.conversions += 1
        }
        return .none
    }
}

struct Converter: Sendable {
    let store: Store<Rates.State, Rates.Action>

    /// Converts with the rates that are loaded. Waits at most for the action or batch that is being reduced, and may
    /// first reduce some actions of other senders.
    func convert(_ amount: Double, to currency: String) -> Double? {
        store.send(.converted)
        return store.snapshot.convert(amount, to: currency)
    }

    /// Loads new rates, and returns when the store has them, or the problem.
    func refresh() async throws {
        try await store.dispatch(.refreshRequested).finish()
    }
}

/// Logs problems until the store ends.
private func logProblems(of store: Store<Rates.State, Rates.Action>) -> Task<Void, Never> {
    let problems = store.values(of: \.problem)
    return Task {
        for await case let problem? in problems { print("rates: \(problem)") }
    }
}

/// Checks each number of conversions, also those that were replaced before they were read.
private func countIsGapless(upTo limit: Int, in store: Store<Rates.State, Rates.Action>) async -> Bool {
    var expected = 0
    for await count in store.values(of: \.conversions, buffering: .unbounded).prefix(limit + 1) {
        if count != expected { return false }
        expected += 1
    }
    return true
}

/// The standard output of the program in the article.
private func print(_ value: Any) {}

@Suite("Getting started", .timeLimit(.minutes(10)))
struct GettingStartedTests {
    struct RatesProgram {
        static func main() async throws {
            let store = Store(
                initialState: Rates.State(),
                reducer: Rates(client: .live),
                configuration: StoreConfiguration(name: "rates", mailbox: .bounded(10_000, whenFull: .suspend))
            )
            let log = logProblems(of: store)
            let converter = Converter(store: store)

            try await converter.refresh()
            for amount in [1.0, 10.0, 100.0] {
                print(converter.convert(amount, to: "USD") ?? .nan)
            }

            await store.shutdown(drain: .finishEffects)
            await log.value
            print("\(store.snapshot.conversions) conversions, \(store.statistics.runningEffects) effects still running")
        }
    }

    @Test("A refresh replaces the rates")
    func refreshReplacesTheRates() async throws {
        let reducer = Rates(client: RateClient { ["USD": 2] })
        let store = Store(initialState: Rates.State(rates: ["USD": 1]), reducer: reducer)
        try await store.dispatch(.refreshRequested).finish()
        #expect(store.snapshot == Rates.State(rates: ["USD": 2]))
    }

    @Test("A conversion is counted")
    func conversionsAreCounted() {
        var state = Rates.State()
        #expect(Rates(client: .live).reduce(into: &state, action: .converted).isNone)
        #expect(state.conversions == 1)
    }

    @Test("The program ends")
    func program() async throws {
        try await RatesProgram.main()
    }

    @Test("A buffered observer receives each number of conversions")
    func everyCount() async {
        let store = Store(initialState: Rates.State(), reducer: Rates(client: .live))
        let check = Task { await countIsGapless(upTo: 3, in: store) }
        await until { store.statistics.observers > 0 }
        for _ in 1...3 { store.send(.converted) }
        #expect(await check.value)
    }
}
