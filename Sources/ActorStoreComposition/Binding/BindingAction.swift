import ActorStore

/// An action that sets one part of a state: one case for all that a form can change.
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
/// It is made by ``set(_:_:)``, and carried out by a ``BindingReducer``. Whoever can send it can set any part that can
/// be written from where it is sent; where that is too much, use actions that say what they are for.
///
/// A key path assigns every property on the way to the part. For a child that is presented and has no identity, that is
/// to present another one; set its parts by ``Presented/inPlace``: `.set(\.$details.inPlace!.row, 3)`. A key path with
/// `!` traps if there is no child any more when the action is reduced, so a ``BindingAction`` of the child is the
/// better choice.
///
/// Two are equal if they set the same part to values that are equal.
public struct BindingAction<Root: Sendable>: Sendable {
    /// The part that is set.
    public let keyPath: PartialKeyPath<Root> & Sendable
    /// What it is set to.
    public let value: any Equatable & Sendable
    private let change: @Sendable (inout Root) -> Void
    private let isEqual: @Sendable (BindingAction) -> Bool

    /// Sets a part to a value.
    ///
    /// - Parameters:
    ///   - keyPath: The part.
    ///   - value: What it is set to.
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

    /// Whether an action sets the part of a key path: `case .binding(\.name):`.
    public static func ~= <Value>(keyPath: KeyPath<Root, Value>, action: BindingAction) -> Bool {
        action.keyPath as AnyKeyPath == keyPath as AnyKeyPath
    }
}

extension BindingAction: Equatable {
    /// Whether both set the same part to equal values.
    public static func == (left: BindingAction, right: BindingAction) -> Bool {
        left.keyPath as AnyKeyPath == right.keyPath as AnyKeyPath && left.isEqual(right)
    }
}

extension BindingAction: CustomStringConvertible {
    /// The part and the value, which is left out if it is `Redactable`.
    public var description: String { "\(keyPath) = \(ValueDescription(of: value).line)" }
}
