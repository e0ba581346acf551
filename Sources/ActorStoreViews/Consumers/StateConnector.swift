import ActorStore

/// Maps a state to the props of a consumer.
///
/// ```swift
/// struct BadgeConnector: StateConnector {
///     func props(from state: Mail.State, send: Send<Mail.Action>) -> Badge { Badge(count: state.unread.count) }
/// }
/// store.connect(badge, by: BadgeConnector())
/// ```
public protocol StateConnector<State, Action, Props>: Sendable {
    /// The state of a store, or a part of it.
    associatedtype State: Sendable
    /// The actions that callbacks can send.
    associatedtype Action: Sendable
    /// The props.
    associatedtype Props: Equatable & Sendable

    /// Returns the props of a consumer.
    ///
    /// It runs neither in the store's turn nor in the isolation of the consumer, so it may be slow.
    ///
    /// - Parameters:
    ///   - state: The state, or the part of it.
    ///   - send: Sends actions to the store, for callbacks in the props. It does not retain the store.
    /// - Returns: The props.
    nonisolated func props(from state: State, send: Send<Action>) -> Props
}

/// A consumer that creates its own props.
///
/// ```swift
/// actor UnreadBadge: StateConsumer {
///     nonisolated func props(from state: Mail.State, send: Send<Mail.Action>) -> Int { state.unread.count }
///     func update(_ unread: Int) { … }
/// }
/// store.connect(badge)
/// ```
public protocol StateConsumer<State, Action>: PropsConsumer, StateConnector {}
