import Synchronization

/// Keeps what a memory benchmark made until it has been counted.
final class Keeper: Sendable {
    private let kept = Mutex<(any Sendable)?>(nil)

    func keep(_ value: some Sendable) { kept.withLock { $0 = value } }

    func release() {
        // Released outside the lock: it can be a hundred thousand objects.
        let value = kept.withLock { kept in
            defer { kept = nil }
            return kept
        }
        withExtendedLifetime(value) {}
    }
}
