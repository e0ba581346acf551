/// Whether something has been cancelled, for those who ask before each step: known at once, where the cancellation of a
/// task is left to a background task.
package final class CancellationNote: Sendable {
    /// Pairs: the load with the exchange.
    private let noted = AtomicValue<Bool>(false)

    package init() {}

    package var isNoted: Bool { noted.loadAcquiring() }

    /// - Returns: whether it had not been noted before.
    @discardableResult
    package func note() -> Bool { !noted.exchangeAcquiringAndReleasing(true) }
}
