import ActorStore

/// A consumer of successive values: a display, a projection, or a worker that a state controls. Two values in a row are
/// never equal, unless the connection is one of actions.
///
/// ```swift
/// actor Dashboard: PropsConsumer {
///     func update(_ props: Int) { … }
/// }
/// store.connect(dashboard, state: \.count)
/// ```
///
/// Its type determines where it is updated: an actor in its isolation, a class of the main actor there, and any other
/// class in the task of the connection. The next update begins when the previous one has returned. Of the changes of
/// the meantime, the consumer receives the newest.
public protocol PropsConsumer<Props>: AnyObject, Sendable {
    /// The values that it receives.
    associatedtype Props: Equatable & Sendable

    /// Handles new props. An isolated method that is not asynchronous satisfies this, too.
    func update(_ props: Props) async
}

/// A consumer of each action, with the state after it: an audit, a counting projection, or a bridge.
///
/// ```swift
/// actor Audit: ActionConsumer {
///     func receive(_ action: Bank.Action, state: Bank.State) { … }
/// }
/// store.connect(actionsTo: audit)
/// ```
///
/// Its type determines where it is called, as for a ``PropsConsumer``. It receives the actions that are reduced after
/// it was connected, in order, one at a time, and without gaps unless the buffering of the connection drops some.
public protocol ActionConsumer<State, Action>: AnyObject, Sendable {
    /// The state of the store, or a part of it.
    associatedtype State: Sendable
    /// The actions of the store.
    associatedtype Action: Sendable

    /// Handles an action. An isolated method that is not asynchronous satisfies this, too.
    ///
    /// - Parameters:
    ///   - action: The action that was reduced.
    ///   - state: The state directly after it.
    func receive(_ action: Action, state: State) async
}
