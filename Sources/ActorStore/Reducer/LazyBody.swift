import Synchronization

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
