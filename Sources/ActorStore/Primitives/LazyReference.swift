import Synchronization

/// A reference that is set once, by whoever is first.
///
/// Pairs: `load`, which acquires, with the `storeIfNil` that has stored, which releases. This holds for all references
/// of the engine; a comment at a declaration says only what else depends on the order.
///
/// It is not `Synchronization.AtomicLazyReference`, whose `load` is not inlined: with the lookups of generic metadata
/// that this brings, one takes some 400 instructions.
@usableFromInline
package struct LazyReference<Instance: AnyObject>: ~Copyable, Sendable where Instance: Sendable {
    // Sound: the reference is set once, to an instance that is complete, and counts as one reference to it, which
    // `deinit` gives up, when nothing can be using it.
    @usableFromInline let storage = Atomic<Unmanaged<Instance>?>(nil)

    @inlinable
    package init() {}

    @inlinable
    deinit { storage.load(ordering: .acquiring)?.release() }

    /// The instance, once there is one; seen with everything that was written before it was stored.
    @inlinable
    @inline(__always)
    package func load() -> Instance? {
        willLoad()
        return storage.load(ordering: .acquiring)?.takeUnretainedValue()
    }

    /// Stores an instance, unless somebody was first.
    ///
    /// - Returns: the one that is stored now.
    @inlinable
    @inline(__always)
    package func storeIfNil(_ instance: consuming Instance) -> Instance {
        willModify()
        let new = Unmanaged.passRetained(instance)
        let (isFirst, present) = storage.compareExchange(expected: nil, desired: new, ordering: .acquiringAndReleasing)
        guard !isFirst, let present else { return instance }
        new.release()
        return present.takeUnretainedValue()
    }
}
