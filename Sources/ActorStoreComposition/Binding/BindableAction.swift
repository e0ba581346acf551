import ActorStore

/// Actions one of which sets any part of the state: those with a `case binding(BindingAction<State>)`. See
/// ``BindingAction``.
public protocol BindableAction<State>: Sendable {
    /// What can be set.
    associatedtype State: Sendable

    /// Makes an action of a ``BindingAction``; a case of this name is that.
    static func binding(_ action: BindingAction<State>) -> Self

    /// The case. Unless a type has one of its own it is found by reflection, which is slow, for every action that a
    /// ``BindingReducer`` sees: see `CasePath`.
    static var bindingPath: CasePath<Self, BindingAction<State>> { get }
}

extension BindableAction {
    /// The case, found by reflection.
    public static var bindingPath: CasePath<Self, BindingAction<State>> { CasePath { binding($0) } }

    /// An action that sets a part of the state; short for `.binding(.set(keyPath, value))`.
    ///
    /// - Parameters:
    ///   - keyPath: The part.
    ///   - value: What it is set to.
    public static func set<Value: Equatable & Sendable>(
        _ keyPath: WritableKeyPath<State, Value> & Sendable,
        _ value: Value
    ) -> Self {
        binding(.set(keyPath, value))
    }
}
