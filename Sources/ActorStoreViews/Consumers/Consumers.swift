import ActorStore

/// Something that is shown values, one after the other, and never two equal ones in a row: a display, a projection, a
/// worker that is fed by a state.
///
/// ```swift
/// actor Dashboard: PropsConsumer {
///     func update(_ props: Int) { … }
/// }
/// store.connect(dashboard, state: \.count)
/// ```
///
/// Where it is updated is a matter of its type: an actor is updated in its isolation, a class of the main actor there,
/// and any other class wherever the connection runs. The next update begins when the one before has returned; of what
/// changes meanwhile it gets the newest.
public protocol PropsConsumer<Props>: AnyObject, Sendable {
    /// What it is shown.
    associatedtype Props: Equatable & Sendable

    /// Takes new values over. An isolated method that is not asynchronous will do, too.
    func update(_ props: Props) async
}

/// Something that is told of each action, with the state after it: an audit, a projection that counts, a bridge.
///
/// ```swift
/// actor Audit: ActionConsumer {
///     func receive(_ action: Bank.Action, state: Bank.State) { … }
/// }
/// store.connect(actionsTo: audit)
/// ```
///
/// Where it is told is a matter of its type, as with a ``PropsConsumer``. It is told of actions that are reduced after
/// it was connected, in order, without gaps, each when the one before has been dealt with.
public protocol ActionConsumer<State, Action>: AnyObject, Sendable {
    /// The state of the store, or a part of it.
    associatedtype State: Sendable
    /// The actions of the store.
    associatedtype Action: Sendable

    /// Takes note of an action. An isolated method that is not asynchronous will do, too.
    ///
    /// - Parameters:
    ///   - action: What has been reduced.
    ///   - state: The state right after that.
    func receive(_ action: Action, state: State) async
}
