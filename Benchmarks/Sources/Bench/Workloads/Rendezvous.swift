import Synchronization

/// Lets one task wait until a number of others have arrived, round after round.
final class Rendezvous: Sendable {
    private let expected: Int
    private let arrived = Atomic<Int>(0)
    private let waiter = Mutex<UnsafeContinuation<Void, Never>?>(nil)

    init(of expected: Int) {
        self.expected = expected
    }

    /// An expected task has arrived. The last one wakes the waiter.
    func arrive() {
        guard arrived.add(1, ordering: .acquiringAndReleasing).newValue == expected + 1 else { return }
        wake()
    }

    /// Begins the round with `begin`, and returns when all have arrived.
    func round(_ begin: () -> Void) async {
        begin()
        await withUnsafeContinuation { continuation in
            waiter.withLock { $0 = continuation }
            // The waiter also counts as an arrival: the last one to arrive finds the waiter in its place.
            if arrived.add(1, ordering: .acquiringAndReleasing).newValue == expected + 1 { wake() }
        }
    }

    private func wake() {
        arrived.store(0, ordering: .relaxed)
        let continuation = waiter.withLock { waiter in
            defer { waiter = nil }
            return waiter
        }
        continuation?.resume()
    }
}
