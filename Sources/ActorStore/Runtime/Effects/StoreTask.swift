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

    /// That of an action without effects.
    package static var finished: StoreTask { .empty }

    /// Whether all effects have ended, or there were none.
    public var isFinished: Bool { tracker?.isFinished ?? true }

    /// Waits until all effects that the action started have ended; those of actions that these sent in turn only if
    /// they are tracked, see ``Store/dispatch(_:acceptanceTimeout:tracksFeedback:clock:isolation:)``.
    ///
    /// Throws the first error that one of them threw and did not make an action of. Throws a `CancellationError` if the
    /// calling task is cancelled while it waits; the effects go on then: ``cancel()`` cancels them.
    /// Throws ``StoreError/awaitsItself`` if the caller is one of the effects, or one of them waits for it in turn.
    public func finish(isolation: isolated (any Actor)? = #isolation) async throws {
        try await tracker?.finish()
    }

    /// Waits until all effects have ended, also if the calling task is cancelled; otherwise as ``finish(isolation:)``.
    func finishDespiteCancellation(isolation: isolated (any Actor)? = #isolation) async throws {
        try await tracker?.finish(despiteCancellation: true)
    }

    /// Cancels all effects that the action started and that have not ended, begun or not. Does not wait for their end.
    ///
    /// What these have sent is dropped, if it has not been reduced yet. Effects that have ended are not cancelled:
    /// their actions are reduced, and so are those of ``Effect/send(_:)``, unless it is a part of work with an identity
    /// that has not ended. With ``Store/dispatch(_:acceptanceTimeout:tracksFeedback:clock:isolation:)`` these are
    /// dropped as well.
    public func cancel() {
        tracker?.cancelInBackground()
    }
}

extension StoreTask {
    /// Binds the effects to the life of what is returned: when its last reference goes they are cancelled.
    ///
    /// ```swift
    /// final class Session {
    ///     private let polling: EffectOwnership
    ///     init(store: AppStore) async throws {
    ///         polling = try await store.dispatch(.startPolling).owned()      // Polls as long as there is a session.
    ///     }
    /// }
    /// ```
    public func owned() -> EffectOwnership { EffectOwnership(of: self) }
}

/// Keeps the effects of an action going; releasing it cancels those that have not ended.
///
/// It does not keep the store alive, with which effects end in any case.
public final class EffectOwnership: Sendable {
    /// The effects.
    public let task: StoreTask

    init(of task: StoreTask) {
        self.task = task
    }

    deinit { task.cancel() }
}
