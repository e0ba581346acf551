import ActorStore
import ActorStoreComposition
import Testing

private struct RatesClient: Sendable {
    var rate: @Sendable (_ currency: String) async throws -> Double

    static let http = RatesClient { _ in 1.08 }
}

private enum RatesClientKey: DependencyKey {
    static let liveValue = RatesClient.http
    static let testValue = RatesClient { _ in 1 }
}
extension DependencyValues {
    fileprivate var rates: RatesClient {
        get { self[RatesClientKey.self] }
        set { self[RatesClientKey.self] = newValue }
    }
}

/// The listings of the article "Replacing dependencies".
@Suite("The article about dependencies", .timeLimit(.minutes(10)))
struct ReplacingDependenciesTests {
    private struct Convert: Reducer {
        enum Action: Sendable { case currencyChosen(String), rateLoaded(Double) }

        let rates: RatesClient

        func reduce(into rate: inout Double, action: Action) -> Effect<Action> {
            switch action {
            case .currencyChosen(let currency):
                return .run { [rates] send in send(.rateLoaded(try await rates.rate(currency))) }
            case .rateLoaded(let loaded):
                rate = loaded
                return .none
            }
        }
    }

    private struct ConvertByKey: Reducer {
        @Dependency(\.rates) var rates  // A property of the reducer, in place of `let rates`.

        func reduce(into rate: inout Double, action: Convert.Action) -> Effect<Convert.Action> {
            Convert(rates: rates).reduce(into: &rate, action: action)
        }
    }

    @Test("A dependency is a stored property of the reducer")
    func property() async throws {
        let store = Store(initialState: 1, reducer: Convert(rates: .http))
        try await store.dispatch(.currencyChosen("USD")).finish()
        #expect(store.snapshot == 1.08)
    }

    @Test("A dependency by key has its test value in a test")
    func key() async throws {
        let store = Store(initialState: 2, reducer: ConvertByKey())
        try await store.dispatch(.currencyChosen("USD")).finish()
        #expect(store.snapshot == 1)
    }

    struct CashDesk: Sendable {
        var onPayment: @Sendable (Int) -> Void = { _ in }
        var total: @Sendable () -> Int = { 0 }
    }

    struct Shop: Reducer {
        struct State: Sendable { var total = 0 }
        enum Action: Sendable { case paid(Int) }

        func reduce(into state: inout State, action: Action) -> Effect<Action> {
            if case .paid(let amount) = action { state.total += amount }
            return .none
        }
    }

    @Test("A dependency can use the store")
    func storeAsDependency() async throws {
        let store = Store(initialState: Shop.State(), reducer: Shop()) { values, store in
            values.cashDesk = CashDesk(onPayment: { store.send(.paid($0)) }, total: { store.snapshot?.total ?? 0 })
        }
        try await store.dispatch(.paid(3))
        #expect(store.snapshot.total == 3)
    }
}

private enum CashDeskKey: DependencyKey {
    static let liveValue = ReplacingDependenciesTests.CashDesk()
    static let testValue = ReplacingDependenciesTests.CashDesk()
}

extension DependencyValues {
    fileprivate var cashDesk: ReplacingDependenciesTests.CashDesk {
        get { self[CashDeskKey.self] }
        set { self[CashDeskKey.self] = newValue }
    }
}
