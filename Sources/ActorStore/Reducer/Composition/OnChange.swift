/// A reducer that runs another one whenever a value of the state has changed.
@usableFromInline
struct OnChange<State: Sendable, Action: Sendable, Value: Equatable & Sendable, Follower: Reducer<State, Action>>:
    Sendable
{
    @usableFromInline let base: PreparedReducer<State, Action>
    @usableFromInline let keyPath: KeyPath<State, Value> & Sendable
    @usableFromInline let follower: @Sendable (Value, Value) -> Follower

    @inlinable
    init(
        base: PreparedReducer<State, Action>,
        keyPath: KeyPath<State, Value> & Sendable,
        follower: @escaping @Sendable (Value, Value) -> Follower
    ) {
        self.base = base
        self.keyPath = keyPath
        self.follower = follower
    }

    @inlinable
    func reduce(into state: inout State, action: Action) -> Effect<Action> {
        let part = StoredPart(keyPath)
        let oldValue = read(&state, part)
        let effect = base.reduce(into: &state, action: action)
        let newValue = read(&state, part)
        if newValue == oldValue { return effect }
        return effect.merged(with: follower(oldValue, newValue).reduce(into: &state, action: action))
    }

    @inlinable
    @inline(__always)
    func read(_ state: inout State, _ part: StoredPart<State, Value>?) -> Value {
        guard let part else { return state[keyPath: keyPath] }
        return withUnsafePointer(to: &state) { part.load(from: $0) }
    }
}

extension Reducer {
    /// Runs other reducers after this one whenever this one has changed a value of the state.
    ///
    /// ```swift
    /// Settings()
    ///     .onChange(of: \.language) { oldValue, newValue in
    ///         Reduce { state, action in state.isTranslated = false }
    ///     }
    /// ```
    ///
    /// The other reducers run in the same turn and with the same action. Their own changes do not run them again. The
    /// previous value is kept while this reducer runs, so if it is a collection, changing it copies it.
    ///
    /// - Parameters:
    ///   - value: The key path of the value, which can be computed.
    ///   - reducer: A builder that receives the previous and the new value, and returns the reducers.
    /// - Returns: The composed reducer.
    @inlinable
    public func onChange<Value: Equatable & Sendable, Follower: Reducer<State, Action>>(
        of value: KeyPath<State, Value> & Sendable,
        @ReducerBuilder<State, Action> _ reducer:
            @escaping @Sendable (_ oldValue: Value, _ newValue: Value) -> Follower
    ) -> PreparedReducer<State, Action> {
        let reducer = OnChange(base: prepared(), keyPath: value, follower: reducer)
        return PreparedReducer { reducer.reduce(into: &$0, action: $1) }
    }

    /// Runs an effect whenever this reducer has changed a value of the state.
    ///
    /// ```swift
    /// Search()
    ///     .effect(onChange: \.query) { oldValue, newValue in
    ///         .run(id: "search", policy: .cancelInFlight) { send in send(.found(try await search(newValue))) }
    ///     }
    /// ```
    ///
    /// The previous value is kept while this reducer runs, so if it is a collection, changing it copies it.
    ///
    /// - Parameters:
    ///   - value: The key path of the value, which can be computed.
    ///   - effect: A closure that receives the previous and the new value, and returns the effect.
    /// - Returns: The composed reducer.
    @inlinable
    public func effect<Value: Equatable & Sendable>(
        onChange value: KeyPath<State, Value> & Sendable,
        _ effect: @escaping @Sendable (_ oldValue: Value, _ newValue: Value) -> Effect<Action>
    ) -> PreparedReducer<State, Action> {
        onChange(of: value) { oldValue, newValue in Reduce { _, _ in effect(oldValue, newValue) } }
    }
}
