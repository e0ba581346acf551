import ActorStore

/// How a shared value has the actions reduced that no user has sent: those that ask for it to be saved, and those that
/// say that the saving has ended.
///
/// Not by sending them: a message needs room in a full mailbox, or takes it from a change that has been accepted, and
/// that of an effect is dropped when the effect has been cancelled. A shutdown would lose a change by it, and after an
/// attempt whose end is never heard of the value would never be saved again.
final class SharedOwnActions<Value: Sendable>: @unchecked Sendable {
    // Sound: written once, by the one who makes the store, before its first action.
    private var store: WeakStore<SharedState<Value>, SharedAction<Value>>?

    func connect(to store: WeakStore<SharedState<Value>, SharedAction<Value>>) { self.store = store }

    /// Notes how an attempt to save has ended, unless the store has ended, and returns when that is done.
    func end(_ error: (any Error)?, isolation: isolated (any Actor)? = #isolation) async {
        await store?.settleOwn(.ended(error), whileShuttingDown: true)
    }

    /// Notes that an attempt to save was cancelled before it began.
    func noteCancellation() { store?.sendOwn(.ended(CancellationError()), whileShuttingDown: true) }

    /// Asks for the value to be saved, after all that was accepted before.
    ///
    /// - Throws: why the store accepts nothing any more.
    func save(isolation: isolated (any Actor)? = #isolation) async throws(StoreError) {
        guard let store else { throw .shutDown }
        try await store.dispatchOwn(.save)
    }

    /// Asks for the same without waiting for the turn, which an observer may hold up until the store is shut down.
    func requestSave() { store?.sendOwn(.save, whileShuttingDown: false) }
}

/// An attempt to save whose end is always recorded, although the body of an effect cancelled before it began never
/// runs.
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
