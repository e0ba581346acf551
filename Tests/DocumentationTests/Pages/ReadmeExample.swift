// The listings of README.md, word for word: `ReadmeTests` runs them, and compares them with the page.

import ActorStore

// README-BEGIN
struct Stock: Reducer {
    struct State: Equatable, Sendable { var available = 20, refused = 0, problem: String? }
    enum Action: Sendable { case order(Int), delivered(Int), deliveryFailed(String) }
    let deliver: @Sendable (_ quantity: Int) async throws -> Int  // Dependencies are stored properties.

    func reduce(into state: inout State, action: Action) -> Effect<Action> {
        switch action {
        case .order(let quantity) where quantity > state.available: state.refused += 1
        case .order(let quantity): state.available -= quantity
        case .delivered(let quantity): state.available += quantity
        case .deliveryFailed(let problem): state.problem = problem
        }
        guard case .order = action, state.available < 5 else { return .none }
        return .run(id: "restock", policy: .ignoreIfRunning) { send in
            send(.delivered(try await deliver(20)))
        } catch: {
            .deliveryFailed("\($0)")
        }
    }
}
// README-END

func serve(_ orders: [Int], by stock: Stock, show: @escaping @Sendable (Int) -> Void) async throws -> Stock.State {
    let store = Store(initialState: Stock.State(), reducer: stock)
    let levels = store.values(of: \.available)  // Woken only when this part has changed.
    let display = Task { for await level in levels { show(level) } }
    for quantity in orders { try await store.dispatch(.order(quantity)) }  // Visible to every reader when it returns.
    await store.shutdown(drain: .finishEffects)  // Waits for deliveries, and ends the sequence.
    await display.value
    return store.snapshot
}

func count(print: @escaping @Sendable (Int) -> Void) async throws {
    // PROGRAM-BEGIN
    let store = Store(initialState: 0) { (count: inout Int, step: Int) in count += step }
    let counts = store.values(of: \.self)  // The current value first, then the newest one.
    let display = Task { for await count in counts { print(count) } }  // In the end, prints 5.
    try await store.dispatch(2)  // Has been reduced when this returns.
    store.send(3)  // Never waits.
    await store.shutdown(drain: .finishEffects)  // Reduces the accepted actions, and ends the sequence.
    await display.value
    // PROGRAM-END
}
