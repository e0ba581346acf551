import Synchronization

extension TreeRoot {
    /// The instruments, made when the first one comes, whose clock is that of all.
    private final func panel(clock: any Clock<Duration>) -> InstrumentPanel {
        if let panel = instrumentPanel.load() { return panel }
        let panel = instrumentPanel.storeIfNil(InstrumentPanel(clock: clock, root: self))
        droppedFeedback.tell(panel)
        return panel
    }

    /// Has an instrument told of everything from now on, after all that was accepted before.
    final func use(_ instrument: any StoreInstrument, clock: any Clock<Duration>) -> Interception {
        let identity = InterceptorIdentity()
        let panel = panel(clock: clock)
        // Counted at once, so that it is told of what is dropped after this, in a turn that comes after that of
        // `install`.
        panel.count.addRelaxed(1)
        inTurn { [self] in
            panel.install(instrument, identity)
            instrumentsChanged(panel)
        }
        // By way of the root, because the instrument may hold what is returned.
        return Interception(identity) { [weak self] identity in
            guard let self, let panel = instrumentPanel.load() else { return }
            inTurn { [self] in
                if let removed = panel.uninstall(identity) { deferred.abandon(removed) }
                instrumentsChanged(panel)
            }
        }
    }

    /// Notes how many actions of a batch come after the one whose effects are taken on, which instruments identify by
    /// its number. In the turn.
    @usableFromInline
    final func noteLaterActions(_ count: Int) { instrumentPanel.load()?.laterActions = UInt64(count) }

    private final func instrumentsChanged(_ panel: InstrumentPanel) {
        extras.set(.instruments, to: !panel.isEmpty)
    }

    /// Reduces an action, and tells the instruments, if there are any. In the turn; nothing is written afterwards,
    /// unless it is that of a batch.
    @inlinable
    final func tracing<Success>(
        _ action: some Sendable,
        to store: @autoclosure () -> String,
        _ reduce: () -> Result<Success, StoreError>
    ) -> Result<Success, StoreError> {
        guard extras.contains(.instruments), let panel = instrumentPanel.load() else { return reduce() }
        let isInBatch = progress.contains(.batch)
        if !isInBatch { endWriting() }
        panel.beginReduction(of: action, by: store(), isInBatch: isInBatch)
        let result = reduce()
        if !isInBatch { endWriting() }
        let refusal: StoreError? = if case .failure(let error) = result { error } else { nil }
        panel.endReduction(refusal, revision: revision.loadRelaxed(), isInBatch: isInBatch)
        return result
    }

    /// Has observers told, and then the instruments, if there are any. In the turn, while nothing is written.
    @inlinable
    final func tracingNotification(_ notify: () -> Void) {
        guard extras.contains(.instruments), let panel = instrumentPanel.load() else { return notify() }
        panel.catchUp()
        panel.notifying(observerTotal, notify)
    }

    /// How many observers the tree has.
    @usableFromInline final var observerTotal: Int { observerCount.loadRelaxed() }

    /// The end of the turn of an action.
    @inlinable
    final func endTracedAction() {
        if extras.contains(.instruments) { instrumentPanel.load()?.forgetAction() }
    }

    /// Tells of effects whose tasks are about to be started, among them groups that wait as a whole: their tasks only
    /// wait, and end before their parts begin. In the turn.
    final func tellBeginnings(of jobs: PendingJobs, of node: some StoreNode) {
        guard let panel = instrumentPanel.load() else { return }
        for job in jobs { panel.begin(job, of: node.name) }
    }
}

extension InstrumentPanel {
    /// Tells, in a turn, of actions that are dropped now.
    func drop(
        _ count: Int,
        of store: String? = nil,
        _ action: (any Sendable)? = nil,
        because reason: DroppedAction.Reason
    ) {
        guard hasInstruments, let root else { return }
        let dropped = DroppedAction(
            store: store ?? root.configuration.name,
            number: nil,
            action: action,
            time: now(),
            reason: reason,
            count: count
        )
        root.inTurn { [self] in tell(.actionDropped(dropped)) }
    }
}
