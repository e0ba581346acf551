import Synchronization

/// What is behind a store: the state, and everything that may only be touched by the owner of its turn.
///
/// Whoever finds the store idle owns the turn and works on the spot; others leave a message in the mailbox, which the
/// owner reads before it leaves. See ``TurnGate`` for how the turn is passed, and ``Mailbox`` for what waits.
@usableFromInline
final class StoreCore<State: Sendable, Action: Sendable>: TreeRoot, @unchecked Sendable {
    // Sound: every stored property belongs to one of the kinds that `TreeRoot` names, or is "under the lock": touched
    // only while `mailboxLock` is held. `state` may also be read by those whom the gate lets read, which it does only
    // while no reducer runs.

    // MARK: Constants

    @usableFromInline let reducer: @Sendable (inout State, Action) -> Effect<Action>
    /// Reads the mailbox; see `drain(messages:background:)`, of which it is the version that was compiled for the types
    /// of this store. Code of this module knows those at run time only, and takes ten times as long for each message.
    @usableFromInline let drainSpecialized: @Sendable (StoreCore, _ messages: Int, _ background: UInt8) -> Bool

    // MARK: In the turn

    /// The chain, the outermost first.
    @exclusivity(unchecked) @usableFromInline var interceptors: [InstalledInterceptor<State, Action>] = []
    @exclusivity(unchecked) @usableFromInline var state: State
    @exclusivity(unchecked) @usableFromInline var attached = AttachedReducers<State, Action>()
    /// Those who observe actions, if there ever were any.
    @exclusivity(unchecked) var actionGroup: Broadcast<(action: Action, state: State)>?
    @exclusivity(unchecked) @usableFromInline
    var unpublishedActions: [(action: Action, state: State, revision: UInt64)] = []
    /// The effects of the turn's actions, with the places of these in their batch, until they are taken on.
    @exclusivity(unchecked) @usableFromInline var newEffects: [(effect: Effect<Action>, placeInBatch: UInt32)] = []
    /// The messages that the owner is reading.
    @exclusivity(unchecked) @usableFromInline var batch: [Message<State, Action>] = []
    /// The place in `batch` of the next one.
    @exclusivity(unchecked) @usableFromInline var batchIndex = 0
    /// The highest priority of those that wait for what is in `batch`.
    @exclusivity(unchecked) @usableFromInline var batchPriority: UInt8 = 0
    /// How many observe the actions. Here, where it takes no room of its own.
    @exclusivity(unchecked) var actionObservers: Int32 = 0 {
        didSet { extras.set(.actionObservers, to: actionObservers > 0) }
    }

    // MARK: Under the lock

    private let padding = CacheLinePadding()
    @usableFromInline let mailboxLock = Lock()
    @exclusivity(unchecked) @usableFromInline var mailbox: Mailbox<Message<State, Action>>

    /// - Parameter drain: The drain that was compiled for the types of the store.
    @usableFromInline
    init(
        state: State,
        reducer: @escaping @Sendable (inout State, Action) -> Effect<Action>,
        interceptors: [Interceptor<State, Action>],
        configuration: StoreConfiguration,
        dependencies: DependencyContainer?,
        drain: @escaping @Sendable (StoreCore, _ messages: Int, _ background: UInt8) -> Bool
    ) {
        self.state = state
        self.reducer = reducer
        drainSpecialized = drain
        mailbox = Mailbox(capacity: configuration.mailbox)
        super.init(configuration: configuration)
        withUnsafePointer(to: &self.state) { noteState(at: $0) }
        self.dependencies = dependencies
        useFirst(interceptors)
    }

    /// Inlinable, so that the drain is compiled for the types of the store wherever those are known.
    @inlinable
    convenience init(
        state: State,
        reducer: @escaping @Sendable (inout State, Action) -> Effect<Action>,
        interceptors: [Interceptor<State, Action>],
        configuration: StoreConfiguration,
        dependencies: DependencyContainer? = nil
    ) {
        self.init(
            state: state,
            reducer: reducer,
            interceptors: interceptors,
            configuration: configuration,
            dependencies: dependencies,
            drain: { core, messages, background in core.drain(messages: messages, background: background) }
        )
    }

    // MARK: What a root has to do

    @usableFromInline
    override func inTurn(_ task: @escaping () -> Void) {
        guard beginIfQuiet() else { return post { _ in task() } }
        inCleanContext(task)
        passOn(readsOwnMessages: true)
    }

    override func inNextTurn(_ task: @escaping @Sendable () -> Void) {
        let once = OnceInTurn(task)
        let suspension = makeSuspension()
        if suspension.addUrgent(once) {
            // The turn was parked, and is the caller's now.
            gate.becomeOwner()
            runUrgentTasks()
            passOn()
        } else {
            inTurn {
                suspension.remove(once)
                once.run()
            }
        }
    }

    @usableFromInline
    override func post(_ message: ForwardedMessage, whenClosed: Bool) -> SendOutcome {
        outcome(of: post(.forwarded(message), whenClosed: whenClosed))
    }

    @usableFromInline
    override func post(_ message: ForwardedMessage, of node: some StoreNode) -> SendOutcome {
        if let registry = instrumentRegistry.load() {
            return outcome(of: post(.forwarded(message), whenClosed: false, of: node, tracing: registry))
        }
        // Under the lock under which a child is closed, so that what it accepts comes before the shutdown's own
        // message.
        mailboxLock.acquire()
        noteOrigin()
        let admission: Mailbox<Message<State, Action>>.Admission =
            node.isRefusing ? .closed : mailbox.offer(.forwarded(message), whenClosed: false)
        mailboxLock.release()
        if gate.announce() { drainIfAllowed() }
        return outcome(of: admission)
    }

    override func refuseFurtherActions(of node: TreeNode) {
        mailboxLock.withLock { _ = node.phase.advance(to: .shuttingDown) }
    }

    override func append(_ message: ForwardedMessage) {
        let message = timed(.forwarded(message))
        mailboxLock.withLock {
            noteOrigin()
            mailbox.append(message)
        }
        _ = gate.announce()
    }

    @usableFromInline
    override func deliver(
        acceptance: AcceptanceWait? = nil,
        isolation: isolated (any Actor)? = #isolation,
        _ message: (UnsafeContinuation<DispatchResult, Never>) -> ForwardedMessage
    ) async -> DispatchResult {
        await deliverMessage(acceptance: acceptance) { .forwarded(message($0)) }
    }

    @inlinable
    override func drain() {
        inCleanContext { _ = drainSpecialized(self, configuration.limits.messagesPerSender, 0) }
    }

    override func publishActions() {
        notifyActionObservers()
    }

    @inlinable
    override func takeOnEffects(into pending: inout PendingTasks, of count: Int, _ action: (Int) -> any Sendable) {
        takeOn(&newEffects, into: &pending, of: count, action)
    }

    override func closeMailbox() {
        let mustRefuse = mailboxLock.withLock {
            mailbox.close()
            return !mailbox.refused.isEmpty
        }
        if mustRefuse { refuseInBackground() }
    }

    override func abandonLoading() -> Bool { takeTurnFromLoading() || loading?.isAbandoned == true }

    override var isClosed: Bool { mailboxLock.withLock { mailbox.isClosed } }

    /// By way of a task: the one who made room only wanted to take an element.
    override func goOn() {
        // The one who parked it may have taken messages out of the mailbox that it has not read.
        gate.becomeOwner()
        passOn()
    }

    override func finishDependents() { endDependents() }

    override func dismiss(_ dependent: any DependentObserver) { remove(dependent) }

    override func finish() {
        actionGroup?.finish()
        uninstallInterceptors()
        uninstallAsyncInterceptors()
        if !workInterceptors.isEmpty {
            deferred.abandon(workInterceptors)
            workInterceptors = []
        }
    }

    override func actionObserverLeft() {
        actionObservers -= 1
    }

    override var observedGroups: [any ObservedGroup] { super.observedGroups + (actionGroup.map { [$0] } ?? []) }

    override var serialExecutor: UnownedSerialExecutor { asUnownedSerialExecutor() }

    override var statistics: StoreStatistics {
        let (waiting, suspended, dropped) = mailboxLock.withLock {
            (mailbox.waitingActions, mailbox.suspended.count, mailbox.droppedActions)
        }
        return StoreStatistics(
            reducedActions: revision.loadAcquiring(),
            waitingActions: waiting,
            suspendedDispatches: suspended,
            droppedActions: dropped,
            rejectedActions: rejectedActions.loadRelaxed(),
            lateActions: droppedFeedbackCount,
            runningEffects: runningEffects.loadRelaxed(),
            failures: failureCount.loadRelaxed(),
            observers: observerCount.loadRelaxed()
        )
    }
}

extension StoreCore {
    /// Has the store made ready in one turn, before anything is read that is sent meanwhile, and before anybody can
    /// make a child: also if a reducer makes the store, on whose thread no other turn can begin. Called before anybody
    /// else has the store.
    ///
    /// - Parameter prepare: done before the interceptors are set up.
    @usableFromInline
    func begin(_ interceptors: [Interceptor<State, Action>], preparing prepare: () -> Void) {
        gate.beginNew()
        whileMaking {
            prepare()
            installFirst(interceptors)
        }
        passOn(readsOwnMessages: true)
    }

    /// Runs code of users that makes the store ready, and may read its state. In the first turn.
    func whileMaking(_ body: () -> Void) {
        // One that is made in the course of this can be another one.
        let makesAnother = CurrentThread.makesStore
        CurrentThread.makesStore = CurrentThread.isWriting
        defer { CurrentThread.makesStore = makesAnother }
        inCleanContext(body)
    }

    /// Makes the dependencies of the store. In its first turn.
    @usableFromInline
    func fill(
        _ container: DependencyContainer,
        _ dependencies: (_ values: inout DependencyOverrides, _ store: WeakStore<State, Action>) -> Void
    ) {
        var values = DependencyOverrides.current
        dependencies(&values, WeakStore(core: self))
        container.fill(values)
        self.dependencies = container
    }
}

extension StoreCore {
    /// A copy of the state between two turns.
    @inlinable
    func snapshot() -> State {
        // An interceptor looks at the state in the middle of a batch, which the gate does not let anybody see.
        if gate.current.isWriting && gate.isOwnedByThisThread && progress.contains(.atRest) { return state }
        gate.beginReading()
        // Copying retains what the state refers to, which runs no user code, so that the reader is gone in no time.
        let copy = state
        gate.endReading()
        return copy
    }

    /// A copy of a stored part of the state between two turns.
    @inlinable
    func snapshot<Value>(of part: StoredPart<State, Value>) -> Value {
        if gate.current.isWriting && gate.isOwnedByThisThread && progress.contains(.atRest) {
            return part.load(from: stateAddress)
        }
        gate.beginReading()
        let copy = part.load(from: stateAddress)
        gate.endReading()
        return copy
    }

    /// A copy of the state after everything that was accepted before.
    @inlinable
    func settledState(isolation: isolated (any Actor)? = #isolation) async -> State {
        guard gate.beginReadingIfQuiet() else { return await perform { [self] in state } }
        let copy = state
        gate.endReading()
        return copy
    }

    /// A part of the state after everything that was accepted before.
    @inlinable
    func settledValue<Value: Sendable>(
        of keyPath: KeyPath<State, Value> & Sendable,
        isolation: isolated (any Actor)? = #isolation
    ) async -> Value {
        // A stored part is read where it stands. The getter of a computed one is user code, which must not run while
        // it keeps reducers waiting, so it is called in a turn of its own.
        guard let part = StoredPart(keyPath), gate.beginReadingIfQuiet() else {
            return await perform { [self] in state[keyPath: keyPath] }
        }
        let value = part.load(from: stateAddress)
        gate.endReading()
        return value
    }

    /// Looks at the state where it stands, for the owner of the turn, while no reducer runs.
    func withStateAtRest<Result>(_ body: (UnsafePointer<State>) -> Result) -> Result {
        withUnsafePointer(to: &state, body)
    }
}
