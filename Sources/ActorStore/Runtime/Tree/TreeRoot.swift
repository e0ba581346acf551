import Synchronization

/// The root of a tree, with what all stores of the tree share: the turn, in which one action after the other is
/// reduced, wherever in the tree it was dispatched.
///
/// It knows neither states nor actions. ``StoreCore``, which adds those of the root store, is its only subclass, and
/// overrides what needs the mailbox: that holds the root's actions in place, so that a message costs no allocation, and
/// so has their type.
@usableFromInline
class TreeRoot: TreeNode, @unchecked Sendable {
    // Sound: every stored property belongs to one of three kinds.
    // - Constants.
    // - Atomics.
    // - "In the turn": touched only by the thread that owns the turn, which the gate hands over with acquire and
    //   release ordering.
    // Exclusivity of what is in the turn follows from the gate, so that it is not checked again on the hot path.

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
    /// The instruments, if there ever were any. Here, and not among the rare parts, because senders look for them, too.
    @usableFromInline final let instrumentRegistry = LazyReference<InstrumentRegistry>()

    // In the order in which they leave no gaps, because there is one of each in every store.
    /// The priority of the background task on its way that reads what others leave in the mailbox; 0 if there is none.
    ///
    /// Pairs: `raise` with the exchange in `drainInSlices`, where the reason stands.
    final let drainingPriority = AtomicValue<UInt8>(0)

    // MARK: In the turn

    /// How far the turn has come that is under way.
    @exclusivity(unchecked) @usableFromInline final var progress: TurnProgress = []
    /// The place in its batch of the action that is being reduced.
    @exclusivity(unchecked) @usableFromInline final var placeInBatch: UInt32 = 0
    /// Those who wait for the effects of the action that is being reduced, if it came of one for which they wait.
    @exclusivity(unchecked) @usableFromInline final var joining: EffectTracker?
    /// How the first state is loaded, if it is. Set before anybody has the store, and only read afterwards.
    @exclusivity(unchecked) final var loading: StoreLoading?
    /// What few trees need, once it is needed.
    @exclusivity(unchecked) final var lazyTreeParts: TreeParts?

    init(configuration: StoreConfiguration) {
        self.configuration = configuration
        super.init(parent: nil)
    }

    deinit { instrumentRegistry.load()?.removeAll() }

    /// Itself, as for any store of the tree.
    @usableFromInline final var root: TreeRoot { self }

    @usableFromInline final var name: String { configuration.name }

    /// Has `task` done in a turn, after all that was accepted before. Nothing of others is done on the calling thread:
    /// what waits in the mailbox is left to the owner of the turn, or to a background task.
    @usableFromInline
    func inTurn(_ task: @escaping () -> Void) {
        missing()
    }

    /// Has `task` done in a turn, after all that was accepted before; at once if an observer suspends the store, or as
    /// soon as one does.
    func inNextTurn(_ task: @escaping @Sendable () -> Void) { missing() }

    /// Puts a message into the mailbox as an action that counts, and sees to it that somebody reads it.
    ///
    /// - Parameter whenClosed: whether it is accepted after the mailbox was closed to the outside.
    @usableFromInline
    func post(_ message: ForwardedMessage, whenClosed: Bool) -> SendOutcome { missing() }

    /// Puts a message into the mailbox as an action of a child that counts, unless the child has been closed.
    @usableFromInline
    func post(_ message: ForwardedMessage, of node: some StoreNode) -> SendOutcome { missing() }

    /// Has a child and those below it take no more actions from outside.
    func refuseFurtherActions(of node: TreeNode) { missing() }

    /// Puts a message into the mailbox that must not be dropped. In the turn.
    func append(_ message: ForwardedMessage) { missing() }

    /// Posts a message, if need be as soon as there is room, and waits for its answer.
    @usableFromInline
    func deliver(
        acceptance: AcceptanceWait? = nil,
        isolation: isolated (any Actor)? = #isolation,
        _ message: (UnsafeContinuation<DispatchResult, Never>) -> ForwardedMessage
    ) async -> DispatchResult {
        missing()
    }

    /// Reads the mailbox on behalf of a sender, as far as a sender does that for others, and passes the turn on.
    @usableFromInline
    func drain() { missing() }

    /// Closes the mailbox to the outside, and tells those that wait for room in it.
    func closeMailbox() { missing() }

    /// Whether the mailbox accepts nothing from outside any more.
    var isClosed: Bool { missing() }

    /// Waits no longer for the loading of the first state, and refuses what waits for it.
    ///
    /// - Returns: Whether the loading goes on, which a caller before this one may have left to itself.
    func abandonLoading() -> Bool { missing() }

    /// Goes on with a turn that was parked.
    func goOn() { missing() }

    /// Figures for diagnostics.
    var statistics: StoreStatistics { missing() }

    /// Runs what is isolated to the stores of the tree.
    var serialExecutor: UnownedSerialExecutor { missing() }

    final override func detectorsChanged() { extras.set(.observers, to: !detectors.isEmpty) }

    /// What the observers have in common, made when the first one comes.
    final var observers: ObserverRegistry { lazyObservers.load() ?? lazyObservers.storeIfNil(ObserverRegistry()) }

    /// How many actions of effects came too late.
    @usableFromInline final var droppedFeedback: DroppedFeedback {
        lazyDroppedFeedback.load() ?? lazyDroppedFeedback.storeIfNil(DroppedFeedback())
    }

    /// Has senders of actions that come too late know that the tree has ended.
    final func endDroppedFeedback() { lazyDroppedFeedback.load()?.end() }

    final var droppedFeedbackCount: Int { lazyDroppedFeedback.load()?.count ?? 0 }

    /// What the observers have in common, if there ever were any.
    final var existingObservers: ObserverRegistry? { lazyObservers.load() }
}

/// For what `StoreCore` overrides, and nobody else can be a root.
private func missing(_ function: StaticString = #function) -> Never {
    preconditionFailure("\(function) is missing in the root of a tree.")
}

extension TreeRoot {
    /// Looks at what lies in the stores of the tree between two turns.
    @inlinable
    final func whileAtRest<Result>(_ body: () -> Result) -> Result {
        // An interceptor looks at the state in the middle of a batch, which the gate does not let anybody see.
        if gate.current.isWriting && gate.isOwnedByThisThread && progress.contains(.atRest) { return body() }
        gate.beginReading()
        defer { gate.endReading() }
        return body()
    }
}
