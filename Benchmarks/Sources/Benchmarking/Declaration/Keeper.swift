import Synchronization

/// Retains the objects of a memory benchmark until they were counted.
final class Keeper<Kept: Sendable>: Sendable {
    private let kept = Mutex<[Kept]>([])

    /// Reserves room, so that the array does not grow while objects are counted.
    func reserve(_ count: Int) { kept.withLock { $0.reserveCapacity(count) } }

    func keep(_ value: Kept) { kept.withLock { $0.append(value) } }

    /// Releases the objects.
    ///
    /// - Returns: The retained objects, so that they are released outside the lock: they can be a hundred thousand.
    func release() -> [Kept] {
        kept.withLock { kept in
            defer { kept = [] }
            return kept
        }
    }
}
