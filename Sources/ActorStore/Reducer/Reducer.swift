/// Says how actions change a state, and which asynchronous work they ask for.
///
/// Conform a type by writing ``reduce(into:action:)``, or by composing others in ``body``; not both.
///
/// ```swift
/// struct Counter: Reducer {
///     struct State: Equatable, Sendable { var count = 0 }
///     enum Action: Sendable { case increment, reset }
///
///     func reduce(into state: inout State, action: Action) -> Effect<Action> {
///         switch action {
///         case .increment: state.count += 1
///         case .reset: state.count = 0
///         }
///         return .none
///     }
/// }
/// ```
///
/// A reducer is a pure function of its arguments: it can be called directly, without a store. It runs on whichever
/// thread owns the store's turn, so it must not block, and reads no store: its own store's ``Store/snapshot`` traps,
/// and those of two stores whose reducers read each other's could wait for each other. Dependencies are stored
/// properties of the conforming type, used in the effects it returns.
public protocol Reducer<State, Action>: Sendable {
    /// What is changed.
    associatedtype State: Sendable
    /// What can happen to it.
    associatedtype Action: Sendable
    /// The type of ``body``; inferred.
    associatedtype Body

    /// Changes `state` as `action` asks, and returns the work to be done after it, or ``Effect/none``.
    func reduce(into state: inout State, action: Action) -> Effect<Action>

    /// The reducers of which this one is composed, run in order.
    ///
    /// A store makes it once, when the first action comes; so it must depend on nothing but the properties of the
    /// reducer. Dependencies that it reads are those which were in force where the store was created, or that are
    /// overridden by a reducer around this one, or by the store.
    @ReducerBuilder<State, Action> var body: Body { get }

    /// This reducer in the form in which stores, and the reducers of parents, run it: with its body made once, and not
    /// anew for each action. There is no need to write this, except for a reducer that wraps another one without a
    /// ``body``, which should prepare that: see ``PreparedReducer``.
    ///
    /// What it returns can be used any number of times, on any thread, by several stores.
    func prepared() -> PreparedReducer<State, Action>
}

extension Reducer where Body == Never {
    /// Not there: this reducer is not composed of others, and calling this is a programmer error, and traps.
    @inlinable
    public var body: Body {
        fatalError("\(Self.self).body was read, but the reducer has no body. Call reduce(into:action:) instead.")
    }

    /// This reducer as it is.
    @inlinable
    public func prepared() -> PreparedReducer<State, Action> {
        PreparedReducer { state, action in reduce(into: &state, action: action) }
    }
}

extension Reducer where Body: Reducer {
    /// Runs the reducers of ``body`` in order, and merges their effects.
    ///
    /// It makes the body anew each time. To run a reducer often without a store, run what ``prepared()`` returns.
    @inlinable
    public func reduce(into state: inout Body.State, action: Body.Action) -> Effect<Body.Action> {
        body.reduce(into: &state, action: action)
    }

    /// The reducers of ``body``, made when the first action comes.
    @inlinable
    public func prepared() -> PreparedReducer<Body.State, Body.Action> {
        let lazyBody = LazyBody { body }
        return PreparedReducer { state, action in lazyBody.reduce(into: &state, action: action) }
    }
}
