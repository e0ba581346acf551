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
