/// A part of a state before and after it changed.
public struct Change<Value: Sendable>: Sendable {
    /// The previous value; nil the first time.
    public let old: Value?
    /// The new value.
    public let new: Value
    /// The number of actions that the store had reduced when the change was published.
    public let revision: UInt64

    @usableFromInline
    init(old: Value?, new: Value, revision: UInt64) {
        self.old = old
        self.new = new
        self.revision = revision
    }
}

extension Change: Equatable where Value: Equatable {}

/// An action, with the states before and after it.
public struct StateTransition<State: Sendable, Action: Sendable>: Sendable {
    /// The action, as the reducer received it.
    public let action: Action
    /// The state before the action.
    public let old: State
    /// The state after the action.
    public let new: State
    /// The number of actions that the store had reduced when this was published, after all actions of the turn: the
    /// transitions of a batch share one revision, that of its last action.
    public let revision: UInt64
}

extension StateTransition: Equatable where State: Equatable, Action: Equatable {}
