import Synchronization

/// Numbers the orders of a desk.
///
/// After a crash the numbers continue behind the newest order in the log. A number may have been given to an order that
/// never reached it; only this desk has seen that one.
final class OrderNumbers: Sendable {
    private let newest: Atomic<Int>

    init(after newest: Int) { self.newest = Atomic(newest) }

    func next() -> Int { newest.wrappingAdd(1, ordering: .relaxed).newValue }
}
