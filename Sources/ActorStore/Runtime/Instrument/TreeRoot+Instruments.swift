import Synchronization

extension TreeRoot {
    /// The instruments, made when the first one comes, whose clock is that of all.
    private final func registry(clock: any Clock<Duration>) -> InstrumentRegistry {
        if let registry = instrumentRegistry.load() { return registry }
        let registry = instrumentRegistry.storeIfNil(InstrumentRegistry(clock: clock, root: self))
        droppedFeedback.tell(registry)
        return registry
    }

    /// Has an instrument told of everything from now on, after all that was accepted before.
    final func use(_ instrument: any StoreInstrument, clock: any Clock<Duration>) -> Interception {
        let identity = InterceptorIdentity()
        let registry = registry(clock: clock)
        // Counted at once, so that it is told of what is dropped after this, in a turn that comes after that of
        // `install`.
        registry.count.addRelaxed(1)
        inTurn { [self] in
            registry.install(instrument, identity)
            instrumentsChanged(registry)
        }
        // By way of the root, because the instrument may hold what is returned.
        return Interception(identity) { [weak self] identity in
            guard let self, let registry = instrumentRegistry.load() else { return }
            inTurn { [self] in
                if let removed = registry.uninstall(identity) { deferred.abandon(removed) }
                instrumentsChanged(registry)
            }
        }
    }

    /// Notes how many actions of a batch come after the one whose effects are taken on, which instruments identify by
    /// its number. In the turn.
    @usableFromInline
    final func noteLaterActions(_ count: Int) { instrumentRegistry.load()?.laterActions = UInt64(count) }

    private final func instrumentsChanged(_ registry: InstrumentRegistry) {
        extras.set(.instruments, to: !registry.isEmpty)
    }

    /// Reduces an action, and tells the instruments, if there are any. In the turn; nothing is written afterwards,
    /// unless it is that of a batch.
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

    /// Has observers told, and then the instruments, if there are any. In the turn, while nothing is written.
    @inlinable
    final func tracingNotification(_ notify: () -> Void) {
        guard extras.contains(.instruments), let registry = instrumentRegistry.load() else { return notify() }
        registry.catchUp()
        registry.notifying(observerTotal, notify)
    }

    /// How many observers the tree has.
    @usableFromInline final var observerTotal: Int { observerCount.loadRelaxed() }

    /// The end of the turn of an action.
    @inlinable
    final func endTracedAction() {
        if extras.contains(.instruments) { instrumentRegistry.load()?.forgetAction() }
    }

    /// Tells of effects whose tasks are about to be started, among them groups that wait as a whole: their tasks only
    /// wait, and end before their parts begin. In the turn.
    final func tellBeginnings(of jobs: PendingJobs, of node: some StoreNode) {
        guard let registry = instrumentRegistry.load() else { return }
        for job in jobs { registry.begin(job, of: node.name) }
    }
}

extension InstrumentRegistry {
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

/// A message to a store with instruments, which want to know how long it has waited.
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
    /// The message, with the time at which it comes if the store has instruments.
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

    /// Puts a message into the mailbox of a store with instruments, which are told if there is no room; otherwise like
    /// ``post(_:whenClosed:)``.
    ///
    /// - Parameter node: the store that it is for, if that is known not to be the root.
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
    /// Tells that a message will not be read.
    ///
    /// - Parameter name: the store that it was for, if that is known not to be the root.
    func drop<State: Sendable, Action: Sendable>(
        _ message: Message<State, Action>,
        of name: String? = nil,
        because reason: DroppedAction.Reason = .overload
    ) {
        drop(message.weight, of: name, message.action, because: reason)
    }
}

extension Message {
    /// Its action, if it is one of the root's own.
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
