import Synchronization

/// A reference that is set once; the first thread wins.
///
/// Pairs: `load`, which acquires, with the `storeIfNil` that has stored, which releases. This holds for all references
/// of the engine; a comment at a declaration says only what else depends on the order.
///
/// This is not `Synchronization.AtomicLazyReference`, whose `load` is not inlined: with the lookups of generic metadata
/// that it needs, one load takes some 400 instructions.
@usableFromInline
package struct LazyReference<Instance: AnyObject>: ~Copyable, Sendable where Instance: Sendable {
    // Sound: the reference is set once, to a complete instance, and counts as one reference to it, which `deinit`
    // releases when there are no more users.
    @usableFromInline let storage = Atomic<Unmanaged<Instance>?>(nil)

    @inlinable
    package init() {}

    @inlinable
    deinit { storage.load(ordering: .acquiring)?.release() }

    /// Returns the instance, if it has been set. Everything that was written before it was stored is visible.
    @inlinable
    @inline(__always)
    package func load() -> Instance? {
        willLoad()
        return storage.load(ordering: .acquiring)?.takeUnretainedValue()
    }

    /// Stores an instance, unless another one has been stored.
    ///
    /// - Returns: The stored instance.
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
