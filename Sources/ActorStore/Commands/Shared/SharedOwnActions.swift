/// How a shared value has the actions reduced that no user has sent: those that ask for it to be saved, and those that
/// say that the saving has ended.
///
/// Not by sending them: a message needs room in a full mailbox, or takes it from a change that has been accepted, and
/// that of an effect is dropped when the effect has been cancelled. A shutdown would lose a change by it, and after an
/// attempt whose end is never heard of the value would never be saved again.
final class SharedOwnActions<Value: Sendable>: @unchecked Sendable {
    typealias Core = StoreCore<SharedState<Value>, SharedAction<Value>>

    // Sound: written once, by the one who makes the store, before its first action.
    private weak var core: Core?

    func connect(to core: Core) { self.core = core }

    /// Notes how an attempt to save has ended, unless the store has ended, and returns when that is done.
    func end(_ error: (any Error)?, isolation: isolated (any Actor)? = #isolation) async {
        await core?.perform { [self] in endInTurn(error) }
    }

    /// Notes that an attempt to save was cancelled before it began.
    func noteCancellation() {
        core?.inTurn { [self] in endInTurn(CancellationError()) }
    }

    private func endInTurn(_ error: (any Error)?) {
        guard let core, !core.lifecycle.isEnded else { return }
        if case .success(let pending) = core.reduceFully(.ended(error)) { core.deferStart(pending) }
    }

    /// Asks for the value to be saved, after all that was accepted before.
    ///
    /// - Throws: why the store accepts nothing any more.
    func save(isolation: isolated (any Actor)? = #isolation) async throws(StoreError) {
        guard let core else { throw .shutDown }
        let pending = try await core.perform {
            core.lifecycle.isOpen ? core.reduceFully(.save) : .failure(core.refusal)
        }.get()
        pending.start(.inheriting)
    }

    /// Asks for the same without waiting for the turn, which an observer may hold up until the store is shut down.
    func requestSave() {
        guard let core else { return }
        core.inTurn {
            guard core.lifecycle.isOpen else { return }
            if case .success(let pending) = core.reduceFully(.save) { core.deferStart(pending) }
        }
    }
}

/// An attempt to save whose end is always recorded, although the body of an effect cancelled before it began never
/// runs.
final class SharedAttempt<Value: Sendable>: Sendable {
    private let ownActions: SharedOwnActions<Value>
    private let hasEnded = AtomicValue<Bool>(false)

    init(_ ownActions: SharedOwnActions<Value>) { self.ownActions = ownActions }

    /// Records how the attempt ended. Returns when the store has reduced that.
    func end(_ error: (any Error)?, isolation: isolated (any Actor)? = #isolation) async {
        // Read by the deinitialiser alone, which comes after everything else.
        hasEnded.storeRelaxed(true)
        await ownActions.end(error)
    }

    deinit {
        // The effect releases the attempt before the effect's own end is recorded.
        if !hasEnded.loadRelaxed() { ownActions.noteCancellation() }
    }
}
