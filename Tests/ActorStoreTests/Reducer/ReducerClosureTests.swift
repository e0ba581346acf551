import ActorStore
import ActorStoreCommands
import Testing

@testable import TestFixtures

@Suite("Reducer closures", .timeLimit(.minutes(10)))
struct ReducerClosureTests {
    enum Action: Sendable { case add(Int), ask, again }

    /// The effect of a discardable function call.
    @discardableResult
    static func echo(_ action: Action) -> Effect<Action> { .send(action) }

    @Test("A closure of several statements without a result is a reducer without effects, in a body and outside")
    func statements() async throws {
        struct Counting: Reducer {
            var body: some Reducer<Int, Action> {
                Reduce { count, action in
                    guard case .add(let amount) = action else { return }
                    count += amount
                }
                Reduce { count, action in
                    switch action {
                    case .add: count += 10
                    case .ask, .again: break
                    }
                }
                Reduce { count, _ in
                    let step = 100
                    if count < 1_000 { count += step }
                }
                Reduce { _, _ in }
            }
        }
        let outside = Reduce<Int, Action> { count, _ in
            count += 1
            count *= 2
        }
        let store = Store(
            initialState: 0,
            reducer: Combine {
                Counting()
                outside
            }
        )
        try await store.dispatch(.add(1))
        #expect(store.snapshot == 224)
    }

    @Test("A closure of several statements keeps the effects it returns, in every notation")
    func effects() async throws {
        struct Asking: Reducer {
            var body: some Reducer<Int, Action> {
                Reduce { count, action in
                    guard case .ask = action else { return .none }
                    count += 1
                    return .run { send in
                        let amount = 10
                        send(.add(amount))
                    }
                }
                Reduce { count, action in
                    switch action {
                    case .ask:
                        count += 1
                        return .send(.add(100))
                    case .again:
                        return .none
                    case .add(let amount):
                        count += amount
                    }
                    return .none
                }
                Reduce { _, action in
                    let effect: Effect<Action> = .send(.add(1_000))
                    if case .ask = action { return effect }
                    return .none
                }
            }
        }
        let store = Store(initialState: 0, reducer: Asking())
        try await store.dispatch(.ask).finish()
        #expect(await store.state == 1_112)
    }

    @Test("The effect of a single-expression closure is never dropped, also if it is discardable")
    func expressions() async throws {
        let echoes = [
            Reduce<[String], Action> { _, _ in .send(.again) },
            Reduce<[String], Action> { _, _ in Self.echo(.again) },
            Reduce<[String], Action> { _, action in
                switch action {
                case .ask: Self.echo(.again)
                case .add, .again: Self.echo(.add(0))
                }
            },
            Reduce<[String], Action> { _, action in if case .ask = action { Self.echo(.again) } else { .none } },
        ]
        for reducer in echoes {
            var state: [String] = []
            #expect(!reducer.reduce(into: &state, action: .ask).isNone)
        }
    }

    @Test("A closure without a result can be nil, and then does nothing; a named function can be passed")
    func closuresByName() {
        let nothing: (@Sendable (inout Int, Action) -> Void)? = nil
        let doubling: @Sendable (inout Int, Action) -> Void = { count, _ in count *= 2 }
        let asking: @Sendable (inout Int, Action) -> Effect<Action> = { count, _ in
            count += 1
            return .send(.ask)
        }
        var count = 3
        #expect(Reduce(nothing).reduce(into: &count, action: .ask).isNone && count == 3)
        #expect(Reduce(doubling).reduce(into: &count, action: .ask).isNone && count == 6)
        #expect(!Reduce(asking).reduce(into: &count, action: .ask).isNone && count == 7)
    }

    @Test("On takes closures of several statements, with and without effects")
    func on() async throws {
        struct Deposit: Sendable { var amount: Int }
        struct Doubled: Sendable {}
        struct Account: Reducer {
            var body: some Reducer<Int, any Sendable> {
                On(Deposit.self) { balance, deposit in
                    guard deposit.amount > 0 else { return }
                    balance += deposit.amount
                }
                On(Doubled.self) { balance, _ in
                    let amount = balance
                    return .send(Deposit(amount: amount))
                }
                EmptyReducer()
                    .on(Deposit.self) { balance, deposit in
                        let fee = deposit.amount / 10
                        balance -= fee
                    }
                    .on(String.self) { balance, text in
                        guard let amount = Int(text) else { return .none }
                        balance += 1
                        return .send(Deposit(amount: amount))
                    }
                    .on(Int.self) { _, amount in .send(Deposit(amount: amount)) }
            }
        }
        let store = Store(initialState: 0, reducer: Account())
        store.send(Deposit(amount: 100))
        store.send(Doubled())
        store.send("20")
        store.send(10)
        #expect(await store.state == 90 + 90 - 9 + 1 + 18 + 9)
    }
}
