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
/// thread owns the store's turn, so it must not block, and reads no store: its own store's ``Store/snapshot`` traps, and
/// those of two stores whose reducers read each other's could wait for each other. Dependencies are stored properties of the conforming type, used in the effects it returns.
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
    @ReducerBuilder<State, Action> var body: Body { get }
}

extension Reducer where Body == Never {
    /// Not there: this reducer is not composed of others, and calling this is a programmer error.
    @inlinable
    public var body: Body {
        fatalError("\(Self.self) has no body, because it implements reduce(into:action:); call that instead.")
    }
}

extension Reducer where Body: Reducer {
    /// Runs the reducers of ``body`` in order, and merges their effects.
    @inlinable
    public func reduce(into state: inout Body.State, action: Body.Action) -> Effect<Body.Action> {
        body.reduce(into: &state, action: action)
    }
}
