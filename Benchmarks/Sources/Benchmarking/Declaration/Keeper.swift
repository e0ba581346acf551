import Synchronization

/// Keeps what a memory benchmark made until it has been counted.
final class Keeper<Kept: Sendable>: Sendable {
    private let kept = Mutex<[Kept]>([])

    /// Makes room, so that the array does not grow while objects are counted.
    func reserve(_ count: Int) { kept.withLock { $0.reserveCapacity(count) } }

    func keep(_ value: Kept) { kept.withLock { $0.append(value) } }

    /// Keeps them no longer.
    ///
    /// - Returns: what was kept, so that it is released outside the lock: it can be a hundred thousand objects.
    func release() -> [Kept] {
        kept.withLock { kept in
            defer { kept = [] }
            return kept
        }
    }
}
