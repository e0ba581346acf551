import ActorStore

/// Makes of a state what a consumer is shown.
///
/// ```swift
/// struct BadgeConnector: StateConnector {
///     func props(from state: Mail.State, send: Send<Mail.Action>) -> Badge { Badge(count: state.unread.count) }
/// }
/// store.connect(badge, by: BadgeConnector())
/// ```
public protocol StateConnector<State, Action, Props>: Sendable {
    /// What it looks at: the state of a store, or a part of one.
    associatedtype State: Sendable
    /// What can be sent in answer.
    associatedtype Action: Sendable
    /// What it makes.
    associatedtype Props: Equatable & Sendable

    /// Makes what a consumer is shown.
    ///
    /// It runs neither in the store's turn nor in the isolation of the consumer, so that it may take its time.
    ///
    /// - Parameters:
    ///   - state: The state, or the part of it.
    ///   - send: Sends actions to the store, for callbacks in the props. It does not keep the store alive.
    nonisolated func props(from state: State, send: Send<Action>) -> Props
}

/// A consumer that makes itself what it is shown.
///
/// ```swift
/// actor UnreadBadge: StateConsumer {
///     nonisolated func props(from state: Mail.State, send: Send<Mail.Action>) -> Int { state.unread.count }
///     func update(_ unread: Int) { … }
/// }
/// store.connect(badge)
/// ```
public protocol StateConsumer<State, Action>: PropsConsumer, StateConnector {}
