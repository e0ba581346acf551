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

extension Task {
    /// Cancels the task in a background task: its cancellation handlers are user code, which may take long, or wait for
    /// a lock that the caller holds. Of a high priority, because tasks that go on until they are cancelled must not
    /// keep it waiting.
    package func cancelInBackground(on executor: (any TaskExecutor)? = nil) {
        Task<Void, Never>.detached(executorPreference: executor, priority: .high) { cancel() }
    }
}
