import Synchronization

/// The implementation of a root: the state, and everything that only the owner of its turn may access.
///
/// A thread that finds the store idle owns the turn and works on the spot. Other threads leave a message in the
/// mailbox, which the owner reads before it leaves. See ``TurnGate`` for how the turn is passed on, and ``Mailbox`` for
/// what waits.
@usableFromInline
final class StoreCore<State: Sendable, Action: Sendable>: TreeRoot, @unchecked Sendable {
    // Sound: every stored property belongs to one of the kinds that `TreeRoot` lists, or is "under the lock": accessed
    // only while `mailboxLock` is held. `state` may also be read by readers that the gate admits, which it does only
    // while no reducer runs.

    // MARK: Constants

    @usableFromInline let reducer: @Sendable (inout State, Action) -> Effect<Action>
    /// Reads the mailbox: the version of `drain(messages:background:)` that was compiled for the types of this store.
    /// Code of this module has these types only at run time, and takes ten times as long for each message.
    @usableFromInline let drainSpecialized: @Sendable (StoreCore, _ messages: Int, _ background: UInt8) -> Bool

    // MARK: In the turn

    /// The chain, outermost first.
    @exclusivity(unchecked) @usableFromInline var interceptors: [InstalledInterceptor<State, Action>] = []
    @exclusivity(unchecked) @usableFromInline var state: State
    @exclusivity(unchecked) @usableFromInline var attached = AttachedReducers<State, Action>()
    /// The observers of actions, if there ever were any.
    @exclusivity(unchecked) var actionGroup: Broadcast<(action: Action, state: State)>?
    @exclusivity(unchecked) @usableFromInline
    var unpublishedActions: [(action: Action, state: State, revision: UInt64)] = []
    /// The effects of the turn's actions, with each action's position in its batch, until they are registered.
    @exclusivity(unchecked) @usableFromInline var newEffects: [(effect: Effect<Action>, placeInBatch: UInt32)] = []
    /// The messages that the owner is reading.
    @exclusivity(unchecked) @usableFromInline var batch: [Message<State, Action>] = []
    /// The index in `batch` of the next message.
    @exclusivity(unchecked) @usableFromInline var batchIndex = 0
    /// The highest priority of the tasks that wait for messages in `batch`.
    @exclusivity(unchecked) @usableFromInline var batchPriority: UInt8 = 0
    /// The number of observers of actions. Here, where it takes no room of its own.
    @exclusivity(unchecked) var actionObservers: Int32 = 0 {
        didSet { extras.set(.actionObservers, to: actionObservers > 0) }
    }

    // MARK: Under the lock

    private let padding = CacheLinePadding()
    @usableFromInline let mailboxLock = Lock()
    @exclusivity(unchecked) @usableFromInline var mailbox: Mailbox<Message<State, Action>>

    /// Creates a core.
    ///
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

    /// Creates a core. Inlinable, so that the drain is compiled for the types of the store wherever these are known.
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

    // MARK: Overrides

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
            // The turn was parked, and the caller owns it now.
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
        // Under the lock under which a child is closed, so that what the child accepts precedes the shutdown's own
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

    /// Leaves the work to a task, because the caller only wanted to take an element, which made room.
    override func goOn() {
        // The owner that parked the turn may have taken messages out of the mailbox that it has not read.
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
    /// Prepares the store in one turn, before anything that is sent meanwhile is read, and before a child can be
    /// created. This also holds if a reducer creates the store, on whose thread no other turn can begin. Called before
    /// the store is shared.
    ///
    /// - Parameters:
    ///   - interceptors: The interceptors that the store is created with.
    ///   - prepare: Runs before the interceptors are set up.
    @usableFromInline
    func begin(_ interceptors: [Interceptor<State, Action>], preparing prepare: () -> Void) {
        gate.beginNew()
        whileMaking {
            prepare()
            installFirst(interceptors)
        }
        passOn(readsOwnMessages: true)
    }

    /// Runs user code that prepares the store and may read its state. Called within the first turn.
    func whileMaking(_ body: () -> Void) {
        // That code can create another store.
        let makesAnother = CurrentThread.makesStore
        CurrentThread.makesStore = CurrentThread.isWriting
        defer { CurrentThread.makesStore = makesAnother }
        inCleanContext(body)
    }

    /// Creates the dependencies of the store. Called within the first turn.
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
    /// Returns a copy of the state between two turns.
    @inlinable
    func snapshot() -> State {
        // An interceptor may look at the state in the middle of a batch, in which the gate admits no readers.
        if gate.current.isWriting && gate.isOwnedByThisThread && progress.contains(.atRest) { return state }
        gate.beginReading()
        // Copying retains what the state refers to. That runs no user code, so the reader leaves quickly.
        let copy = state
        gate.endReading()
        return copy
    }

    /// Returns a copy of a stored part of the state between two turns.
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

    /// Returns a copy of the state after everything that was accepted before.
    @inlinable
    func settledState(isolation: isolated (any Actor)? = #isolation) async -> State {
        guard gate.beginReadingIfQuiet() else { return await perform { [self] in state } }
        let copy = state
        gate.endReading()
        return copy
    }

    /// Returns a part of the state after everything that was accepted before.
    @inlinable
    func settledValue<Value: Sendable>(
        of keyPath: KeyPath<State, Value> & Sendable,
        isolation: isolated (any Actor)? = #isolation
    ) async -> Value {
        // A stored part is read in place. The getter of a computed part is user code, which must not run while it keeps
        // reducers waiting, so it is called in a turn of its own.
        guard let part = StoredPart(keyPath), gate.beginReadingIfQuiet() else {
            return await perform { [self] in state[keyPath: keyPath] }
        }
        let value = part.load(from: stateAddress)
        gate.endReading()
        return value
    }

    /// Gives the owner of the turn access to the state in place, while no reducer runs.
    func withStateAtRest<Result>(_ body: (UnsafePointer<State>) -> Result) -> Result {
        withUnsafePointer(to: &state, body)
    }
}
