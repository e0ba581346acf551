import Synchronization

/// Gives each order of a desk a number of its own.
///
/// After a crash it goes on behind the newest order in the log. A number may have been given by then to an order
/// that never came there; nobody else has heard of that one.
final class OrderNumbers: Sendable {
    private let newest: Atomic<Int>

    init(after newest: Int) { self.newest = Atomic(newest) }

    func next() -> Int { newest.wrappingAdd(1, ordering: .relaxed).newValue }
}
