import ActorStore

/// The common parts of all contenders of a benchmark: a state, a reducer, and an action that changes a part of the
/// state.
struct Scenario<Logic: Reducer & Sendable>: Sendable where Logic.State: Sendable, Logic.Action: Sendable {
    /// The name of the action in reports.
    let name: String
    let makeState: @Sendable () -> Logic.State
    let makeReducer: @Sendable () -> Logic
    let makeAction: @Sendable () -> Logic.Action
    /// A part of the state that each action changes.
    let part: any KeyPath<Logic.State, Int> & Sendable
    /// A handwritten access, because a baseline would not use a key path.
    let readPart: @Sendable (Logic.State) -> Int
}

extension Scenario<Account> {
    /// An action without a payload on the heap, and a reducer of two additions.
    static var trivial: Scenario {
        Scenario(
            name: "trivial",
            makeState: { Account.State() },
            makeReducer: { Account() },
            makeAction: BookOne.make,
            part: \.balance,
            readPart: { $0.balance }
        )
    }
}

extension Scenario<Orders> {
    /// A realistic action, whose payload exists already.
    static var order: Scenario { orders("order", ReadyOrder.make) }

    /// A realistic action, whose payload is created for it.
    static var freshOrder: Scenario { orders("fresh order", FreshOrder.make) }

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
    /// A reducer that computes for a number of nanoseconds.
    static func work(_ nanoseconds: Int) -> Scenario {
        Scenario(
            name: nanoseconds < 1_000 ? "\(nanoseconds) ns" : "\(nanoseconds / 1_000) µs",
            makeState: { Work.State() },
            // Not before the set-up: it measures the speed of the machine.
            makeReducer: { Work(nanoseconds: nanoseconds) },
            makeAction: OneWork.make,
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
            makeAction: BookInArray.make,
            part: \.bookings,
            readPart: { $0.bookings }
        )
    }
}

/// The actions of ``Scenario/trivial``.
enum BookOne: ActionSource {
    @Sendable static func make() -> Account.Action { .book(1) }
}

/// The actions of ``Scenario/order``.
enum ReadyOrder: ActionSource {
    @Sendable static func make() -> Orders.Action { Orders.action }
}

/// The actions of ``Scenario/freshOrder``.
enum FreshOrder: ActionSource {
    @Sendable static func make() -> Orders.Action { Orders.freshAction() }
}

/// The actions of ``Scenario/work(_:)``.
enum OneWork: ActionSource {
    @Sendable static func make() -> Work.Action { .work }
}

/// The actions of ``Scenario/largeArray``.
enum BookInArray: ActionSource {
    @Sendable static func make() -> LargeLedger.Action { .book(1) }
}
