import ActorStore

/// An action that sets one part of a state: a single case for all fields of a form.
///
/// ```swift
/// enum Action: BindableAction {
///     case binding(BindingAction<State>)
///     case signIn
/// }
///
/// var body: some Reducer<State, Action> {
///     BindingReducer()
///     Reduce { state, action in
///         switch action {
///         case .binding(\.name): state.isValid = !state.name.isEmpty   // after name was set
///         case .binding, .signIn: break
///         }
///     }
/// }
///
/// store.send(.set(\.name, "Ada"))
/// let name = store.binding(\.name)   // a value that can be read and set
/// ```
///
/// Create it with ``set(_:_:)``; a ``BindingReducer`` applies it. Code that can send it can set every part that is
/// writable at that place. If this is too much, use actions for the individual changes.
///
/// A key path assigns every property on the way to the part. For a presented child without an identity, such an
/// assignment presents another child; set its parts through ``Presented/inPlace``: `.set(\.$details.inPlace!.row, 3)`.
/// A key path with `!` traps if the child is gone when the action is reduced, so a ``BindingAction`` of the child is
/// the better choice.
///
/// Two actions are equal if they set the same part to equal values.
public struct BindingAction<Root: Sendable>: Sendable {
    /// The part that is set.
    public let keyPath: PartialKeyPath<Root> & Sendable
    /// The new value.
    public let value: any Equatable & Sendable
    private let change: @Sendable (inout Root) -> Void
    private let isEqual: @Sendable (BindingAction) -> Bool

    /// Returns an action that sets a part to a value.
    ///
    /// - Parameters:
    ///   - keyPath: The part.
    ///   - value: The new value.
    /// - Returns: An action that sets the part.
    public static func set<Value: Equatable & Sendable>(
        _ keyPath: WritableKeyPath<Root, Value> & Sendable,
        _ value: Value
    ) -> BindingAction {
        BindingAction(
            keyPath: keyPath,
            value: value,
            change: { $0[keyPath: keyPath] = value },
            isEqual: { $0.value as? Value == value }
        )
    }

    /// Sets the part of a state, as a ``BindingReducer`` does.
    public func callAsFunction(_ root: inout Root) { change(&root) }

    /// Returns whether an action sets the part of a key path: `case .binding(\.name):`.
    public static func ~= <Value>(keyPath: KeyPath<Root, Value>, action: BindingAction) -> Bool {
        action.keyPath as AnyKeyPath == keyPath as AnyKeyPath
    }
}

extension BindingAction: Equatable {
    /// Returns whether both set the same part to equal values.
    public static func == (left: BindingAction, right: BindingAction) -> Bool {
        left.keyPath as AnyKeyPath == right.keyPath as AnyKeyPath && left.isEqual(right)
    }
}

extension BindingAction: CustomStringConvertible {
    /// The part and the value, which is left out if it is `Redactable`.
    public var description: String { "\(keyPath) = \(ValueDescription(of: value).line)" }
}
