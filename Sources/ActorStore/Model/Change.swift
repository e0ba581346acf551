/// A part of a state before and after it changed.
public struct Change<Value: Sendable>: Sendable {
    /// What it was before; nil the first time.
    public let old: Value?
    /// What it is now.
    public let new: Value
    /// How many actions the store had reduced when the change was published.
    public let revision: UInt64

    @usableFromInline
    init(old: Value?, new: Value, revision: UInt64) {
        self.old = old
        self.new = new
        self.revision = revision
    }
}

extension Change: Equatable where Value: Equatable {}

/// An action, and what it has changed.
public struct StateTransition<State: Sendable, Action: Sendable>: Sendable {
    /// The action, as it came to the reducer.
    public let action: Action
    /// The state before it.
    public let old: State
    /// The state after it.
    public let new: State
    /// How many actions the store had reduced when this was published, after all actions of the turn: the transitions
    /// of a batch have one revision, that of its last action.
    public let revision: UInt64
}

extension StateTransition: Equatable where State: Equatable, Action: Equatable {}
