import Synchronization

extension TreeRoot {
    /// Returns the registry, created for the first instrument, whose clock all instruments use.
    private final func registry(clock: any Clock<Duration>) -> InstrumentRegistry {
        if let registry = instrumentRegistry.load() { return registry }
        let registry = instrumentRegistry.storeIfNil(InstrumentRegistry(clock: clock, root: self))
        droppedFeedback.tell(registry)
        return registry
    }

    /// Adds an instrument, which records everything from now on, after what was accepted before.
    final func use(_ instrument: any StoreInstrument, clock: any Clock<Duration>) -> Interception {
        let identity = InterceptorIdentity()
        let registry = registry(clock: clock)
        // Counted at once, so that it records what is dropped after this, in a turn that follows that of `install`.
        registry.count.addRelaxed(1)
        inTurn { [self] in
            registry.install(instrument, identity)
            instrumentsChanged(registry)
        }
        // Through the root, because the instrument may retain what is returned.
        return Interception(identity) { [weak self] identity in
            guard let self, let registry = instrumentRegistry.load() else { return }
            inTurn { [self] in
                if let removed = registry.uninstall(identity) { deferred.abandon(removed) }
                instrumentsChanged(registry)
            }
        }
    }

    /// Records how many actions of a batch come after the one whose effects are being registered. Instruments identify
    /// that action by its number. Called within the turn.
    @usableFromInline
    final func noteLaterActions(_ count: Int) { instrumentRegistry.load()?.laterActions = UInt64(count) }

    private final func instrumentsChanged(_ registry: InstrumentRegistry) {
        extras.set(.instruments, to: !registry.isEmpty)
    }

    /// Reduces an action, and notifies the instruments, if there are any. Called within the turn. Afterwards the turn
    /// is not writing, unless it is that of a batch.
    @inlinable
    final func tracing<Success>(
        _ action: some Sendable,
        to store: @autoclosure () -> String,
        _ reduce: () -> Result<Success, StoreError>
    ) -> Result<Success, StoreError> {
        guard extras.contains(.instruments), let registry = instrumentRegistry.load() else { return reduce() }
        let isInBatch = progress.contains(.batch)
        if !isInBatch { endWriting() }
        registry.beginReduction(of: action, by: store(), isInBatch: isInBatch)
        let result = reduce()
        if !isInBatch { endWriting() }
        let refusal: StoreError? = if case .failure(let error) = result { error } else { nil }
        registry.endReduction(refusal, revision: revision.loadRelaxed(), isInBatch: isInBatch)
        return result
    }

    /// Notifies observers, and then the instruments, if there are any. Called within the turn, without writing.
    @inlinable
    final func tracingNotification(_ notify: () -> Void) {
        guard extras.contains(.instruments), let registry = instrumentRegistry.load() else { return notify() }
        registry.catchUp()
        registry.notifying(observerTotal, notify)
    }

    /// The number of observers in the tree.
    @usableFromInline final var observerTotal: Int { observerCount.loadRelaxed() }

    /// Ends the turn of an action.
    @inlinable
    final func endTracedAction() {
        if extras.contains(.instruments) { instrumentRegistry.load()?.forgetAction() }
    }

    /// Records effects whose tasks are about to be started. These include groups that wait as a whole, whose tasks only
    /// wait, and end before their parts begin. Called within the turn.
    final func tellBeginnings(of jobs: PendingJobs, of node: some StoreNode) {
        guard let registry = instrumentRegistry.load() else { return }
        for job in jobs { registry.begin(job, of: node.name) }
    }
}

extension InstrumentRegistry {
    /// Records in a turn that actions are dropped now.
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

/// A message to a store with instruments, which record how long it has waited.
@usableFromInline
final class TimedMessage<State: Sendable, Action: Sendable> {
    @usableFromInline let message: Message<State, Action>
    @usableFromInline let arrival: Duration

    init(_ message: Message<State, Action>, arrival: Duration) {
        self.message = message
        self.arrival = arrival
    }
}

extension StoreCore {
    /// Returns the message, with the time of its arrival if the store has instruments.
    @inlinable
    func timed(_ message: Message<State, Action>) -> Message<State, Action> {
        guard let registry = instrumentRegistry.load() else { return message }
        return timed(message, by: registry)
    }

    @usableFromInline
    func timed(_ message: Message<State, Action>, by registry: InstrumentRegistry) -> Message<State, Action> {
        guard registry.hasInstruments else { return message }
        return .timed(TimedMessage(message, arrival: registry.now()))
    }

    /// Enqueues a message in the mailbox of a store with instruments, which record it if there is no room.
    ///
    /// - Parameters:
    ///   - message: The message.
    ///   - whenClosed: Whether the message is accepted after the mailbox was closed to the outside.
    ///   - node: The store that the message is for, if it is known not to be the root.
    ///   - registry: The instruments.
    /// - Returns: Whether the message was accepted, dropped or refused.
    @usableFromInline
    func post(
        _ message: Message<State, Action>,
        whenClosed: Bool,
        of node: (any StoreNode)? = nil,
        tracing registry: InstrumentRegistry
    ) -> Mailbox<Message<State, Action>>.Admission {
        let timed = timed(message, by: registry)
        let admission: Mailbox<Message<State, Action>>.Admission = mailboxLock.withLock {
            noteOrigin()
            return node?.isRefusing == true ? .closed : mailbox.offer(timed, whenClosed: whenClosed)
        }
        switch admission {
        case .dropped, .full:
            registry.drop(message, of: node?.name)
        case .accepted, .acceptedInPlaceOfOthers, .closed:
            break
        }
        if gate.announce() { drainIfAllowed() }
        return admission
    }
}

extension InstrumentRegistry {
    /// Records that a message will not be read.
    ///
    /// - Parameters:
    ///   - message: The message.
    ///   - name: The name of the store that the message was for, if it is known not to be the root.
    ///   - reason: The reason why it will not be read.
    func drop<State: Sendable, Action: Sendable>(
        _ message: Message<State, Action>,
        of name: String? = nil,
        because reason: DroppedAction.Reason = .overload
    ) {
        drop(message.weight, of: name, message.action, because: reason)
    }
}

extension Message {
    /// The action of the message, if it is one of the root.
    fileprivate var action: Action? {
        switch self {
        case .action(let action), .reply(let action): action
        case .dispatch(let action, _, _), .feedback(let action, _), .dismissal(let action, _): action
        case .childReply(let action, _): action
        case .timed(let timed): timed.message.action
        case .batch, .forwarded, .task, .job, .removed: nil
        }
    }
}
