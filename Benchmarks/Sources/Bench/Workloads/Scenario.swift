import ActorStore

/// What all contenders of a benchmark have in common: a state, a reducer, and an action that changes a part of the
/// state.
struct Scenario<Logic: Reducer & Sendable>: Sendable where Logic.State: Sendable, Logic.Action: Sendable {
    /// The name of the action in reports.
    let name: String
    let makeState: @Sendable () -> Logic.State
    let makeReducer: @Sendable () -> Logic
    let makeAction: @Sendable () -> Logic.Action
    /// A part of the state that is another one after each action.
    let part: any KeyPath<Logic.State, Int> & Sendable
    /// The same by hand, because a baseline would not use a key path.
    let readPart: @Sendable (Logic.State) -> Int
}

extension Scenario<Account> {
    /// An action without a payload on the heap, and a reducer of two additions.
    static var trivial: Scenario {
        Scenario(
            name: "trivial",
            makeState: { Account.State() },
            makeReducer: { Account() },
            makeAction: { .book(1) },
            part: \.balance,
            readPart: { $0.balance }
        )
    }
}

extension Scenario<Orders> {
    /// A realistic action, whose payload exists already.
    static var order: Scenario { orders("order") { Orders.action } }

    /// A realistic action, whose payload is made for it.
    static var freshOrder: Scenario { orders("fresh order") { Orders.freshAction() } }

    private static func orders(_ name: String, _ makeAction: @escaping @Sendable () -> Orders.Action) -> Scenario {
        Scenario(
            name: name,
            makeState: { Orders.State() },
            makeReducer: { Orders() },
            makeAction: makeAction,
            part: \.orders,
            readPart: { $0.orders }
        )
    }
}

extension Scenario<Work> {
    /// A reducer that computes for so many nanoseconds.
    static func work(_ nanoseconds: Int) -> Scenario {
        Scenario(
            name: nanoseconds < 1_000 ? "\(nanoseconds) ns" : "\(nanoseconds / 1_000) µs",
            makeState: { Work.State() },
            // Not before it is set up: it measures how fast the machine is.
            makeReducer: { Work(nanoseconds: nanoseconds) },
            makeAction: { .work },
            part: \.actions,
            readPart: { $0.actions }
        )
    }
}

extension Scenario<LargeLedger> {
    /// A state of some megabytes, of which an action changes a few bytes.
    static var largeArray: Scenario {
        Scenario(
            name: "one element of a large array",
            makeState: { LargeLedger.State() },
            makeReducer: { LargeLedger() },
            makeAction: { .book(1) },
            part: \.bookings,
            readPart: { $0.bookings }
        )
    }
}
