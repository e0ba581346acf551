import Synchronization

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

/// A reducer as stores run it; made by ``Reducer/prepared()``.
///
/// A reducer that wraps another one without a ``Reducer/body`` runs that as it is, and so makes its body anew for each
/// action, unless it prepares it:
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

    /// Creates a reducer that does as a closure does.
    @inlinable
    public init(_ run: @escaping @Sendable (_ state: inout State, _ action: Action) -> Effect<Action>) {
        self.run = run
    }

    /// Runs the reducer.
    @inlinable
    public func reduce(into state: inout State, action: Action) -> Effect<Action> { run(&state, action) }

    /// The same: it is prepared already.
    @inlinable
    public func prepared() -> PreparedReducer { self }
}

/// A reducer's body, which is made when the first action comes; not before, so that reducers can contain themselves.
///
/// It is made with the dependencies in force that were when the reducer was prepared, for a store when that was
/// created, and not with those of whoever happens to send the first action; unless a reducer around it, or the store,
/// has its own.
@usableFromInline
final class LazyBody<Body: Reducer>: @unchecked Sendable {
    // Sound: the reference is set once, to a box that is complete, and seen with acquire ordering. It counts as one
    // reference to the box, which `deinit` gives up, when nobody can be using it. Unmanaged, because counting
    // references for each action costs more than most reducers do. Pairs: the loads with the exchange in `fill`; that
    // one also acquires, for the box of another thread.
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

    /// Makes the body.
    @usableFromInline
    func fill() -> Unmanaged<BodyBox<Body>> {
        let outer = DependencyOverrides.current
        let values = outer.areInReducer ? dependencies.merging(outer) : dependencies
        let new = Unmanaged.passRetained(BodyBox(DependencyOverrides.$current.withValue(values, operation: make)))
        // Two threads can come here at once, for a reducer can be shared; what the second one made is thrown away.
        let (isFirst, present) = box.compareExchangeAcquiringAndReleasing(expected: nil, desired: new)
        guard !isFirst, let present else { return new }
        new.release()
        return present
    }
}

/// A body that does not change, so that it can be used where it is, without a copy.
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
