/// A flag for a cancellation, which can be checked before each step. It is visible immediately, even where a background
/// task cancels the task later.
package final class CancellationNote: Sendable {
    /// Pairs: the load with the exchange.
    private let noted = AtomicValue<Bool>(false)

    package init() {}

    package var isNoted: Bool { noted.loadAcquiring() }

    /// - Returns: Whether the flag was not set before.
    @discardableResult
    package func note() -> Bool { !noted.exchangeAcquiringAndReleasing(true) }
}

extension Task {
    /// Cancels the task in a background task: its cancellation handlers are user code, which may take long, or wait for
    /// a lock that the caller holds. The background task has a high priority, so that tasks that run until they are
    /// cancelled cannot delay it.
    package func cancelInBackground(on executor: (any TaskExecutor)? = nil) {
        Task<Void, Never>.detached(executorPreference: executor, priority: .high) { cancel() }
    }
}
