/// A handle to the effects that one dispatched action started.
///
/// ```swift
/// let task = try await store.dispatch(.refresh)
/// try await task.finish()
/// ```
///
/// You can ignore it: effects run whether they are awaited or not.
public struct StoreTask: Sendable {
    let tracker: EffectTracker?

    @usableFromInline
    init(tracker: EffectTracker?) {
        self.tracker = tracker
    }

    @inlinable static var empty: StoreTask { StoreTask(tracker: nil) }

    /// The task of an action without effects.
    package static var finished: StoreTask { .empty }

    /// Whether all effects have ended; `true` if there were no effects.
    public var isFinished: Bool { tracker?.isFinished ?? true }

    /// Waits until all effects that the action started have ended.
    ///
    /// Effects of actions that these effects send are included only if the dispatch tracks feedback; see
    /// ``Store/dispatch(_:acceptanceTimeout:tracksFeedback:clock:isolation:)``. If the calling task is cancelled, this
    /// stops waiting, but the effects continue: ``cancel()`` cancels them.
    ///
    /// - Parameter isolation: The actor on which this runs; by default the caller's.
    /// - Throws: The first unhandled error of an effect; `CancellationError` if the calling task is cancelled while it
    ///   waits; ``StoreError/awaitsItself`` if the caller is one of the effects, or if one of them waits for the
    ///   caller.
    public func finish(isolation: isolated (any Actor)? = #isolation) async throws {
        try await tracker?.finish()
    }

    /// Waits until all effects have ended, even if the calling task is cancelled.
    ///
    /// - Throws: The first unhandled error of an effect; ``StoreError/awaitsItself`` if the caller is one of the
    ///   effects, or if one of them waits for the caller.
    func finishDespiteCancellation(isolation: isolated (any Actor)? = #isolation) async throws {
        try await tracker?.finish(despiteCancellation: true)
    }

    /// Cancels all effects of the action that have not ended, including those that have not begun. Does not wait for
    /// their end.
    ///
    /// Actions that these effects have sent are dropped unless they have been reduced. Effects that have ended are not
    /// cancelled: their actions are still reduced. So are the actions of ``Effect/send(_:)``, unless it is part of an
    /// effect with an identity that has not ended. If the dispatch tracks feedback, all of these actions are dropped as
    /// well; see ``Store/dispatch(_:acceptanceTimeout:tracksFeedback:clock:isolation:)``.
    public func cancel() {
        tracker?.cancelInBackground()
    }
}

extension StoreTask {
    /// Binds the effects to the lifetime of the returned object: releasing its last reference cancels them.
    ///
    /// ```swift
    /// final class Session {
    ///     private let polling: EffectOwnership
    ///     init(store: AppStore) async throws {
    ///         polling = try await store.dispatch(.startPolling).owned()      // Polls as long as there is a session.
    ///     }
    /// }
    /// ```
    ///
    /// - Returns: An object that owns the effects. Use ``cancel()`` instead to cancel them at a certain point.
    public func owned() -> EffectOwnership { EffectOwnership(of: self) }
}

/// Owns the effects of an action: releasing it cancels those that have not ended.
///
/// It does not retain the store, and effects always end with their store.
public final class EffectOwnership: Sendable {
    /// The owned effects.
    public let task: StoreTask

    init(of task: StoreTask) {
        self.task = task
    }

    deinit { task.cancel() }
}
