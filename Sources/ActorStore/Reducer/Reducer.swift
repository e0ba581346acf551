import Synchronization

/// A type that changes a state in response to actions, and returns effects for asynchronous work.
///
/// Conform a type by implementing ``reduce(into:action:)``, or by composing other reducers in ``body``; not both.
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
/// A reducer is a pure function of its arguments: you can call it directly, without a store. It runs on whichever
/// thread owns the store's turn, so it must not block, and must not read a store: ``Store/snapshot`` traps
/// there. Declare dependencies as stored
/// properties of the conforming type, and use them in the effects that it returns.
public protocol Reducer<State, Action>: Sendable {
    /// The state that the reducer changes.
    associatedtype State: Sendable
    /// The actions that the reducer handles.
    associatedtype Action: Sendable
    /// The type of ``body``; inferred.
    associatedtype Body

    /// Changes the state in response to an action, and returns the effects to run afterwards.
    ///
    /// - Parameters:
    ///   - state: The state to change.
    ///   - action: The action to handle.
    /// - Returns: The effects to run; ``Effect/none`` for no effects.
    func reduce(into state: inout State, action: Action) -> Effect<Action>

    /// The reducers that this reducer is composed of. They run in order.
    ///
    /// A store evaluates the body once, for the first action, so the body must depend only on the properties of the
    /// reducer. The dependencies that it reads are those that were in force where the store was created, unless a
    /// reducer around this one, or the store, overrides them.
    @ReducerBuilder<State, Action> var body: Body { get }

    /// Returns this reducer in the form in which stores and parent reducers run it: its body is evaluated once, instead
    /// of for each action.
    ///
    /// The default implementation is sufficient, except for a reducer without a ``body`` that wraps another one, which
    /// should prepare that: see ``PreparedReducer``.
    ///
    /// - Returns: A reducer that can be used any number of times, on any thread, by several stores.
    func prepared() -> PreparedReducer<State, Action>
}

extension Reducer where Body == Never {
    /// Traps, because this reducer has no body. Call ``reduce(into:action:)`` instead.
    @inlinable
    public var body: Body {
        fatalError("\(Self.self).body was read, but the reducer has no body. Call reduce(into:action:) instead.")
    }

    /// Returns this reducer unchanged, in the form in which stores run it.
    ///
    /// - Returns: The prepared reducer.
    @inlinable
    public func prepared() -> PreparedReducer<State, Action> {
        PreparedReducer { state, action in reduce(into: &state, action: action) }
    }
}

extension Reducer where Body: Reducer {
    /// Runs the reducers of ``body`` in order, and merges their effects.
    ///
    /// Each call evaluates the body again. To run a reducer often without a store, call ``prepared()`` once and run its
    /// result.
    ///
    /// - Parameters:
    ///   - state: The state to change.
    ///   - action: The action to handle.
    /// - Returns: The merged effects.
    @inlinable
    public func reduce(into state: inout Body.State, action: Body.Action) -> Effect<Body.Action> {
        body.reduce(into: &state, action: action)
    }

    /// Returns the reducers of ``body``, which is evaluated for the first action.
    ///
    /// - Returns: The prepared reducer.
    @inlinable
    public func prepared() -> PreparedReducer<Body.State, Body.Action> {
        let lazyBody = LazyBody { body }
        return PreparedReducer { state, action in lazyBody.reduce(into: &state, action: action) }
    }
}

/// A reducer in the form in which stores run it, as returned by ``Reducer/prepared()``.
///
/// A reducer without a ``Reducer/body`` that wraps another one runs it as it is, which evaluates its body for each
/// action. To avoid this, prepare the wrapped reducer:
///
/// ```swift
/// struct Logged<Base: Reducer>: Reducer {
///     let base: Base
///
///     func reduce(into state: inout Base.State, action: Base.Action) -> Effect<Base.Action> {
///         log(action)
///         return base.reduce(into: &state, action: action)
///     }
///
///     func prepared() -> PreparedReducer<Base.State, Base.Action> {
///         let logged = Logged<PreparedReducer<Base.State, Base.Action>>(base: base.prepared())
///         return PreparedReducer { logged.reduce(into: &$0, action: $1) }
///     }
/// }
/// ```
public struct PreparedReducer<State: Sendable, Action: Sendable>: Reducer {
    @usableFromInline let run: @Sendable (inout State, Action) -> Effect<Action>

    /// Creates a reducer from a closure.
    ///
    /// - Parameter run: A closure that changes the state and returns effects.
    @inlinable
    public init(_ run: @escaping @Sendable (_ state: inout State, _ action: Action) -> Effect<Action>) {
        self.run = run
    }

    /// Runs the reducer.
    ///
    /// - Parameters:
    ///   - state: The state to change.
    ///   - action: The action to handle.
    /// - Returns: The effects to run.
    @inlinable
    public func reduce(into state: inout State, action: Action) -> Effect<Action> { run(&state, action) }

    /// Returns this reducer, which is already prepared.
    ///
    /// - Returns: This reducer.
    @inlinable
    public func prepared() -> PreparedReducer { self }
}

/// The body of a reducer, which is evaluated for the first action. Evaluating it earlier would make recursive reducers
/// impossible.
///
/// It is evaluated with the dependencies that were in force when the reducer was prepared (for a store, when it was
/// created), and not with those of the sender of the first action; unless a reducer around it, or the store, overrides
/// them.
@usableFromInline
final class LazyBody<Body: Reducer>: @unchecked Sendable {
    // Sound: the reference is set once, to a complete box, and loaded with acquire ordering. It holds one reference to
    // the box, which `deinit` releases, when there are no more users. Unmanaged, because reference counting for each
    // action costs more than most reducers. Pairs: the loads with the exchange in `fill`, which also acquires, for the
    // box of another thread.
    @usableFromInline let box = AtomicValue<Unmanaged<BodyBox<Body>>?>(nil)
    private let make: @Sendable () -> Body
    private let dependencies = DependencyOverrides.current

    @usableFromInline
    init(_ make: @escaping @Sendable () -> Body) { self.make = make }

    deinit { box.loadAcquiring()?.release() }

    @inlinable
    func reduce(into state: inout Body.State, action: Body.Action) -> Effect<Body.Action> {
        let box = box.loadAcquiring() ?? fill()
        return box._withUnsafeGuaranteedRef { $0.reduce(into: &state, action: action) }
    }

    /// Evaluates the body.
    @usableFromInline
    func fill() -> Unmanaged<BodyBox<Body>> {
        let outer = DependencyOverrides.current
        let values = outer.areInReducer ? dependencies.merging(outer) : dependencies
        let new = Unmanaged.passRetained(BodyBox(DependencyOverrides.$current.withValue(values, operation: make)))
        // A shared reducer can be filled by two threads at once; the second box is discarded.
        let (isFirst, present) = box.compareExchangeAcquiringAndReleasing(expected: nil, desired: new)
        guard !isFirst, let present else { return new }
        new.release()
        return present
    }
}

/// A body that does not change, so that it can be used in place, without a copy.
@usableFromInline
final class BodyBox<Body: Reducer>: Sendable {
    @usableFromInline let body: Body

    @inlinable
    init(_ body: Body) { self.body = body }

    @inlinable
    func reduce(into state: inout Body.State, action: Body.Action) -> Effect<Body.Action> {
        body.reduce(into: &state, action: action)
    }
}
