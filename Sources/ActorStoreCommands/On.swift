import ActorStore

/// A reducer of the actions of one type, in a store that takes many; see ``Dispatchable``.
///
/// An action matches if its type is this one exactly: not a subclass, and not a type that conforms to a protocol.
public struct On<State: Sendable, Action: Sendable, Matched: Sendable>: Reducer {
    private let closure: @Sendable (inout State, Matched) -> Effect<Action>

    // Which closure is meant is decided as for `Reduce`.

    /// Creates a reducer that changes the state as `reduce` does and asks for the effects that it returns.
    @_disfavoredOverload
    public init(
        _ type: Matched.Type = Matched.self,
        _ reduce: @escaping @Sendable (_ state: inout State, _ action: Matched) -> Effect<Action>
    ) {
        closure = reduce
    }

    /// Creates a reducer that changes the state as `reduce` does and asks for the effects that it returns.
    public init<Result: EffectResult<Action>>(
        _ type: Matched.Type = Matched.self,
        _ reduce: @escaping @Sendable (_ state: inout State, _ action: Matched) -> Result
    ) {
        closure = { state, action in reduce(&state, action).effect }
    }

    /// Creates a reducer that changes the state as `reduce` does, without effects; nil leaves it alone.
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
    /// This reducer, and after it one of the actions of one type; see ``On``.
    ///
    /// ```swift
    /// EmptyReducer<Account, any Dispatchable>()
    ///     .on(Deposit.self) { state, deposit in state.balance += deposit.amount }
    ///     .on(Closed.self) { state, _ in state.isOpen = false }
    /// ```
    @_disfavoredOverload
    public func on<Matched: Sendable>(
        _ type: Matched.Type,
        _ reduce: @escaping @Sendable (_ state: inout State, _ action: Matched) -> Effect<Action>
    ) -> some Reducer<State, Action> {
        ReducerPair(first: self, second: On(type, reduce))
    }

    /// This reducer, and after it one of the actions of one type; see ``On``.
    public func on<Matched: Sendable, Result: EffectResult<Action>>(
        _ type: Matched.Type,
        _ reduce: @escaping @Sendable (_ state: inout State, _ action: Matched) -> Result
    ) -> some Reducer<State, Action> {
        ReducerPair(first: self, second: On(type, reduce))
    }

    /// This reducer, and after it one of the actions of one type, without effects; see ``On``.
    public func on<Matched: Sendable>(
        _ type: Matched.Type,
        _ reduce: (@Sendable (_ state: inout State, _ action: Matched) -> Void)?
    ) -> some Reducer<State, Action> {
        ReducerPair(first: self, second: On(type, reduce))
    }
}

extension ObserverRule {
    /// Asks for an action after each action of a type, in a store that takes many; see ``Dispatchable``.
    ///
    /// - Parameters:
    ///   - type: The type that the action must have exactly.
    ///   - action: Makes an action of the one that was reduced and of the state after it, or nil.
    public static func onAction<Matched: Sendable>(
        of type: Matched.Type,
        _ action: @escaping @Sendable (_ action: Matched, _ state: State) -> Action?
    ) -> ObserverRule {
        onAction(.matching { exactly(Matched.self, $0) }, action)
    }
}

/// - Returns: the value if its dynamic type is the one given, and not merely a kind of it.
private func exactly<Matched>(_ type: Matched.Type, _ value: some Any) -> Matched? {
    // The type of an existential is that of what is in it, which generic code does not look for by itself.
    Swift.type(of: value as Any) == type ? value as? Matched : nil
}
