import ActorStore

/// A reducer of the actions of one type, in a store that takes actions of many types; see ``Dispatchable``.
///
/// An action matches if its dynamic type is exactly this one: a subclass does not match, nor does a type that conforms
/// to a protocol.
public struct On<State: Sendable, Action: Sendable, Matched: Sendable>: Reducer {
    private let closure: @Sendable (inout State, Matched) -> Effect<Action>

    // Overload resolution between the closures works as for `Reduce`.

    /// Creates a reducer that changes the state with `reduce` and returns the effects that `reduce` returns.
    @_disfavoredOverload
    public init(
        _ type: Matched.Type = Matched.self,
        _ reduce: @escaping @Sendable (_ state: inout State, _ action: Matched) -> Effect<Action>
    ) {
        closure = reduce
    }

    /// Creates a reducer that changes the state with `reduce` and returns the effects that `reduce` returns.
    public init<Result: EffectResult<Action>>(
        _ type: Matched.Type = Matched.self,
        _ reduce: @escaping @Sendable (_ state: inout State, _ action: Matched) -> Result
    ) {
        closure = { state, action in reduce(&state, action).effect }
    }

    /// Creates a reducer that changes the state with `reduce`, without effects; nil changes nothing.
    public init(
        _ type: Matched.Type = Matched.self,
        _ reduce: (@Sendable (_ state: inout State, _ action: Matched) -> Void)?
    ) {
        closure = { state, action in
            reduce?(&state, action)
            return .none
        }
    }

    /// Calls the closure if the action is of the type.
    public func reduce(into state: inout State, action: Action) -> Effect<Action> {
        guard let matched = exactly(Matched.self, action) else { return .none }
        return closure(&state, matched)
    }
}

extension Reducer {
    /// Returns a reducer that runs this reducer, and then `reduce` for actions of one type; see ``On``.
    ///
    /// ```swift
    /// EmptyReducer<Account, any Dispatchable>()
    ///     .on(Deposit.self) { state, deposit in state.balance += deposit.amount }
    ///     .on(Closed.self) { state, _ in state.isOpen = false }
    /// ```
    ///
    /// - Returns: A reducer that runs both.
    @_disfavoredOverload
    public func on<Matched: Sendable>(
        _ type: Matched.Type,
        _ reduce: @escaping @Sendable (_ state: inout State, _ action: Matched) -> Effect<Action>
    ) -> some Reducer<State, Action> {
        ReducerPair(first: self, second: On(type, reduce))
    }

    /// Returns a reducer that runs this reducer, and then `reduce` for actions of one type; see ``On``.
    ///
    /// - Returns: A reducer that runs both.
    public func on<Matched: Sendable, Result: EffectResult<Action>>(
        _ type: Matched.Type,
        _ reduce: @escaping @Sendable (_ state: inout State, _ action: Matched) -> Result
    ) -> some Reducer<State, Action> {
        ReducerPair(first: self, second: On(type, reduce))
    }

    /// Returns a reducer that runs this reducer, and then `reduce`, without effects, for actions of one type; see
    /// ``On``.
    ///
    /// - Returns: A reducer that runs both.
    public func on<Matched: Sendable>(
        _ type: Matched.Type,
        _ reduce: (@Sendable (_ state: inout State, _ action: Matched) -> Void)?
    ) -> some Reducer<State, Action> {
        ReducerPair(first: self, second: On(type, reduce))
    }
}

extension ObserverRule {
    /// Returns a rule that sends an action after each action of a type, in a store that takes actions of many types;
    /// see ``Dispatchable``.
    ///
    /// - Parameters:
    ///   - type: The type. An action matches only if its dynamic type is exactly this one.
    ///   - action: Returns the action to send, from the action that was reduced and the state after it; or nil to send
    ///     none.
    /// - Returns: A rule for actions of the type.
    public static func onAction<Matched: Sendable>(
        of type: Matched.Type,
        _ action: @escaping @Sendable (_ action: Matched, _ state: State) -> Action?
    ) -> ObserverRule {
        onAction(.matching { exactly(Matched.self, $0) }, action)
    }
}

/// Returns the value if its dynamic type is exactly the given one, and nil for a subclass or a conforming type.
private func exactly<Matched>(_ type: Matched.Type, _ value: some Any) -> Matched? {
    // Without `as Any`, generic code sees the static type of an existential, and not that of the value in it.
    Swift.type(of: value as Any) == type ? value as? Matched : nil
}
