/// The effects that one dispatched action started.
///
/// ```swift
/// let task = try await store.dispatch(.refresh)
/// try await task.finish()
/// ```
///
/// It can be ignored: effects run whether anybody awaits them or not.
public struct StoreTask: Sendable {
    let tracker: EffectTracker?

    @usableFromInline
    init(tracker: EffectTracker?) {
        self.tracker = tracker
    }

    @inlinable static var empty: StoreTask { StoreTask(tracker: nil) }

    /// Whether all effects have ended, or there were none.
    public var isFinished: Bool { tracker?.isFinished ?? true }

    /// Waits until all effects that the action started have ended; those of actions that these sent in turn only if they
    /// are tracked, see ``Store/dispatch(_:tracksFeedback:)``.
    ///
    /// Throws the first error that one of them threw and did not make an action of. Throws a `CancellationError` if the
    /// calling task is cancelled while it waits; the effects go on then: ``cancel()`` cancels them.
    /// Throws ``StoreError/awaitsItself`` if the caller is one of the effects, or one of them waits for it in turn.
    public nonisolated(nonsending) func finish() async throws {
        try await tracker?.finish()
    }

    /// Cancels all effects that the action started and that have not ended, begun or not. Does not wait for their end.
    public func cancel() {
        tracker?.cancelInBackground()
    }
}
