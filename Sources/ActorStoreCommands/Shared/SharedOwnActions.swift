import ActorStore

/// Has the store of a shared value reduce the internal actions: requests to save, and the ends of attempts to save.
///
/// They are not sent as messages. A message needs room in a full mailbox, or takes the place of a change that has been
/// accepted, and a message of an effect is dropped when the effect has been cancelled. A shutdown would then lose a
/// change, and after an attempt whose end was lost the value would never be saved again.
final class SharedOwnActions<Value: Sendable>: @unchecked Sendable {
    // Sound: written once, by the creator of the store, before its first action.
    private var store: WeakStore<SharedState<Value>, SharedAction<Value>>?

    func connect(to store: WeakStore<SharedState<Value>, SharedAction<Value>>) { self.store = store }

    /// Records how an attempt to save ended, unless the store has ended. Returns when the store has reduced that.
    func end(_ error: (any Error)?, isolation: isolated (any Actor)? = #isolation) async {
        await store?.settleOwn(.ended(error), whileShuttingDown: true)
    }

    /// Records that an attempt to save was cancelled before it began.
    func noteCancellation() { store?.sendOwn(.ended(CancellationError()), whileShuttingDown: true) }

    /// Requests that the value is saved, after all changes that were accepted before.
    ///
    /// - Throws: The reason why the store no longer accepts actions.
    func save(isolation: isolated (any Actor)? = #isolation) async throws(StoreError) {
        guard let store else { throw .shutDown }
        try await store.dispatchOwn(.save)
    }

    /// Requests the same without waiting for the turn, which an observer may block until the store is shut down.
    func requestSave() { store?.sendOwn(.save, whileShuttingDown: false) }
}

/// An attempt to save. Its end is always recorded, although the body of an effect that is cancelled before it begins
/// never runs.
final class SharedAttempt<Value: Sendable>: Sendable {
    private let ownActions: SharedOwnActions<Value>
    private let ending = CancellationNote()

    init(_ ownActions: SharedOwnActions<Value>) { self.ownActions = ownActions }

    /// Records how the attempt ended. Returns when the store has reduced that.
    func end(_ error: (any Error)?, isolation: isolated (any Actor)? = #isolation) async {
        ending.note()
        await ownActions.end(error)
    }

    deinit {
        // The effect releases the attempt before the effect's own end is recorded.
        if !ending.isNoted { ownActions.noteCancellation() }
    }
}
