import ActorStore

/// A realistic service: actions with payloads on the heap, and a state of texts, tables and lists.
struct Orders: Reducer {
    struct State: Equatable, Sendable {
        var name = "a warehouse on the edge of the city"
        var region = "a region with a name that is not short"
        var currency = "a currency with a long name"
        var lastCustomer: String?
        var stock = Dictionary(uniqueKeysWithValues: (0..<64).map { ($0, 1_000) })
        var totals: [Int: Int] = [:]
        var recent = [Int](repeating: 0, count: 16)
        var blocked: Set<Int> = [1, 2, 3]
        var orders = 0
    }

    enum Action: Sendable {
        case order(number: Int, customer: String, items: [Int])
        case restock(item: Int, by: Int)
        case block(Int)
        case rename(String)
    }

    func reduce(into state: inout State, action: Action) -> Effect<Action> {
        switch action {
        case .order(let number, let customer, let items):
            for item in items { state.stock[item & 63, default: 0] &-= 1 }
            state.recent[state.orders & 15] = number
            state.totals[number & 63, default: 0] &+= items.count
            state.lastCustomer = customer
            state.orders &+= 1
        case .restock(let item, let count): state.stock[item & 63, default: 0] &+= count
        case .block(let item): state.blocked.insert(item)
        case .rename(let name): state.name = name
        }
        return .none
    }

    /// An action whose payload exists already.
    static let action = Action.order(number: 7, customer: "a customer with a name that is not short", items: [1, 2, 3])

    /// An action whose payload is created for it.
    static func freshAction() -> Action {
        .order(
            number: 7,
            customer: String(repeating: "x", count: 24),
            items: Array(unsafeUninitializedCapacity: 3) { buffer, count in
                for index in 0..<3 { buffer.initializeElement(at: index, to: index) }
                count = 3
            }
        )
    }
}
