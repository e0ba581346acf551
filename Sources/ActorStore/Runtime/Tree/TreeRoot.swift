import Synchronization

/// The root of a tree, with what all stores of the tree share: the turn, in which one action after the other is
/// reduced, wherever in the tree it was sent.
///
/// Only the thread that owns the turn may use a member that is called or used "within the turn".
///
/// This class has neither the type of the state nor that of the actions. ``StoreCore``, its only subclass, adds those
/// of the root store, and overrides what needs the mailbox: the mailbox stores the root's actions inline, so that a
/// message costs no allocation, and therefore has their type.
@usableFromInline
class TreeRoot: TreeNode, @unchecked Sendable {
    // Sound: every stored property belongs to one of three kinds.
    // - Constants.
    // - Atomics.
    // - "In the turn": accessed only by the thread that owns the turn, which the gate hands over with acquire and
    //   release ordering.
    //
    // The gate implies exclusivity of what is in the turn, which is not checked again on the hot path.

    // MARK: Constants and atomics

    @usableFromInline final let configuration: StoreConfiguration
    @usableFromInline final let gate = TurnGate()
    /// Pairs: the store after each reducer with the loads outside the turn. Loads in the turn may be relaxed.
    @usableFromInline final let revision = AtomicValue<UInt64>(0)
    private let lazyDroppedFeedback = LazyReference<DroppedFeedback>()
    final let rejectedActions = AtomicValue<Int>(0)
    final let runningEffects = AtomicValue<Int>(0)
    final let observerCount = AtomicValue<Int>(0)
    final let failureCount = AtomicValue<Int>(0)
    /// Pairs: by the lock of the mailbox. `makeSuspension` stores it and then looks under the lock whether the mailbox
    /// is closed; `refuseFurtherActions` closes the mailbox under the lock and then loads it.
    final let sharedSuspension = LazyReference<TurnSuspension>()
    /// The asynchronous interceptors of the root store, if there ever were any.
    @usableFromInline final let asyncInterceptors = LazyReference<AsyncInterceptorList>()
    private let lazyObservers = LazyReference<ObserverRegistry>()
    @usableFromInline final let lazyDeferred = LazyReference<DeferredWorkList>()
    /// The instruments, if there ever were any. Not among `TreeParts`, because senders look for them, too.
    @usableFromInline final let instrumentRegistry = LazyReference<InstrumentRegistry>()

    // The order leaves no gaps, because every store has all of these.
    /// The priority of the background task that has been started to drain the mailbox; 0 without one.
    ///
    /// Pairs: `raise` with the exchange in `drainInSlices`, which has the reason.
    final let drainingPriority = AtomicValue<UInt8>(0)

    // MARK: In the turn

    /// The progress of the current turn.
    @exclusivity(unchecked) @usableFromInline final var progress: TurnProgress = []
    /// The position in its batch of the action that is being reduced.
    @exclusivity(unchecked) @usableFromInline final var placeInBatch: UInt32 = 0
    /// The tracker that counts the effects of the action that is being reduced, if there is one.
    @exclusivity(unchecked) @usableFromInline final var joining: EffectTracker?
    /// The loading of the first state, if it is loaded. Set before the store is shared, and only read afterwards.
    @exclusivity(unchecked) final var loading: StoreLoading?
    /// What few trees need, created when needed.
    @exclusivity(unchecked) final var lazyTreeParts: TreeParts?

    init(configuration: StoreConfiguration) {
        self.configuration = configuration
        super.init(parent: nil)
    }

    deinit { instrumentRegistry.load()?.removeAll() }

    /// The root itself, as for any store of the tree.
    @usableFromInline final var root: TreeRoot { self }

    @usableFromInline final var name: String { configuration.name }

    /// Runs `task` in a turn, after everything that was accepted before. The calling thread does no work for others:
    /// messages in the mailbox are left to the owner of the turn, or to a background task.
    @usableFromInline
    func inTurn(_ task: @escaping () -> Void) {
        missing()
    }

    /// Runs `task` in a turn, after everything that was accepted before; at once if an observer suspends the store, or
    /// as soon as one does.
    func inNextTurn(_ task: @escaping @Sendable () -> Void) { missing() }

    /// Enqueues a message that counts as an action, and ensures that it is read.
    ///
    /// - Parameter whenClosed: Whether the message is accepted after the mailbox was closed to the outside.
    @usableFromInline
    func post(_ message: ForwardedMessage, whenClosed: Bool) -> SendOutcome { missing() }

    /// Enqueues a message that counts as an action of a child, unless the child has been closed.
    @usableFromInline
    func post(_ message: ForwardedMessage, of node: some StoreNode) -> SendOutcome { missing() }

    /// Makes a child and the stores below it refuse actions from outside.
    func refuseFurtherActions(of node: TreeNode) { missing() }

    /// Enqueues a message that must not be dropped. Called within the turn.
    func append(_ message: ForwardedMessage) { missing() }

    /// Enqueues a message, after waiting for room if necessary, and waits for its answer.
    @usableFromInline
    func deliver(
        acceptance: AcceptanceWait? = nil,
        isolation: isolated (any Actor)? = #isolation,
        _ message: (UnsafeContinuation<DispatchResult, Never>) -> ForwardedMessage
    ) async -> DispatchResult {
        missing()
    }

    /// Reads the mailbox on behalf of a sender, within the limits of what a sender does for others, and passes the turn
    /// on.
    @usableFromInline
    func drain() { missing() }

    /// Closes the mailbox to the outside, and refuses the messages that wait for room.
    func closeMailbox() { missing() }

    /// Whether the mailbox no longer accepts anything from outside.
    var isClosed: Bool { missing() }

    /// Stops waiting for the first state, and refuses what waits for it.
    ///
    /// - Returns: Whether the loading still runs, abandoned by this call or an earlier one.
    func abandonLoading() -> Bool { missing() }

    /// Continues a turn that was parked.
    func goOn() { missing() }

    /// Statistics for diagnostics.
    var statistics: StoreStatistics { missing() }

    /// The executor of code that is isolated to a store of the tree.
    var serialExecutor: UnownedSerialExecutor { missing() }

    final override func detectorsChanged() { extras.set(.observers, to: !detectors.isEmpty) }

    /// What the observers share, created for the first one.
    final var observers: ObserverRegistry { lazyObservers.load() ?? lazyObservers.storeIfNil(ObserverRegistry()) }

    /// Counts the actions of effects that arrived too late.
    @usableFromInline final var droppedFeedback: DroppedFeedback {
        lazyDroppedFeedback.load() ?? lazyDroppedFeedback.storeIfNil(DroppedFeedback())
    }

    /// Makes late actions of effects report that the tree has ended.
    final func endDroppedFeedback() { lazyDroppedFeedback.load()?.end() }

    final var droppedFeedbackCount: Int { lazyDroppedFeedback.load()?.count ?? 0 }

    /// What the observers share, if there ever were any.
    final var existingObservers: ObserverRegistry? { lazyObservers.load() }
}

/// Traps in members that `StoreCore`, the only kind of root, overrides.
private func missing(_ function: StaticString = #function) -> Never {
    preconditionFailure("Internal inconsistency: the root of a tree does not override \(function).")
}

extension TreeRoot {
    /// Calls `body` while the states of the tree are at rest, between two turns.
    @inlinable
    final func whileAtRest<Result>(_ body: () -> Result) -> Result {
        // An interceptor may look at the state in the middle of a batch, in which the gate admits no readers.
        if gate.current.isWriting && gate.isOwnedByThisThread && progress.contains(.atRest) { return body() }
        gate.beginReading()
        defer { gate.endReading() }
        return body()
    }
}
