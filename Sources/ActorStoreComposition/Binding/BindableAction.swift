import ActorStore

/// An action type with a case that sets any part of the state: `case binding(BindingAction<State>)`. See
/// ``BindingAction``.
public protocol BindableAction<State>: Sendable {
    /// The state whose parts can be set.
    associatedtype State: Sendable

    /// Wraps a ``BindingAction`` in an action. A case of this name implements it.
    static func binding(_ action: BindingAction<State>) -> Self

    /// The case path of `binding`. By default it is found by reflection, which is slow, for every action that a
    /// ``BindingReducer`` receives; implement it to avoid this, see `CasePath`.
    static var bindingPath: CasePath<Self, BindingAction<State>> { get }
}

extension BindableAction {
    /// The case path of `binding`, found by reflection.
    public static var bindingPath: CasePath<Self, BindingAction<State>> { CasePath { binding($0) } }

    /// Returns an action that sets a part of the state; short for `.binding(.set(keyPath, value))`.
    ///
    /// - Parameters:
    ///   - keyPath: The part.
    ///   - value: The new value.
    /// - Returns: An action that sets the part.
    public static func set<Value: Equatable & Sendable>(
        _ keyPath: WritableKeyPath<State, Value> & Sendable,
        _ value: Value
    ) -> Self {
        binding(.set(keyPath, value))
    }
}
