import Synchronization

/// What is behind a store: the state, and everything that may only be touched by the owner of its turn.
///
/// Whoever finds the store idle owns the turn and works on the spot; others leave a letter in the mailbox, which the
/// owner reads before it leaves. See ``TurnGate`` for how the turn is passed, and ``Mailbox`` for what waits.
@usableFromInline
final class StoreCore<State: Sendable, Action: Sendable>: @unchecked Sendable {
    // Sound: every stored property belongs to one of four kinds.
    // - Constants.
    // - Atomics.
    // - "In the turn": touched only by the thread that owns the turn, which the gate hands over with acquire and
    //   release ordering. `state` may also be read by those whom the gate lets read, which it does only while no
    //   reducer runs.
    // - "Under the lock": touched only while `mailboxLock` is held.
    // Exclusivity of what is in the turn follows from the gate, so that it is not checked again on the hot path.

    // MARK: Constants and atomics

    @usableFromInline let reducer: @Sendable (inout State, Action) -> Effect<Action>
    @usableFromInline let interceptors: [Interceptor<State, Action>]
    @usableFromInline let configuration: StoreConfiguration
    @usableFromInline let gate = TurnGate()
    @usableFromInline let revision = Atomic<UInt64>(0)
    /// Whether a task is on its way that reads what others leave in the mailbox.
    @usableFromInline let hasDrainingTask = Atomic<Bool>(false)
    let lateActions = Atomic<Int>(0)
    let rejectedActions = Atomic<Int>(0)
    let runningEffects = Atomic<Int>(0)
    let groups = AtomicLazyReference<GroupTable>()
    let sharedSuspension = AtomicLazyReference<TurnSuspension>()

    // MARK: In the turn

    /// Whether the gate keeps readers out. Tracked, because asking the gate costs more.
    @exclusivity(unchecked) @usableFromInline var isWriting = false
    @exclusivity(unchecked) @usableFromInline var state: State
    /// Whether the actions of a batch are being reduced, between which nobody else may see the state.
    @exclusivity(unchecked) @usableFromInline var isInBatch = false
    /// Whether the owner itself may look at the state although it keeps others out.
    @exclusivity(unchecked) @usableFromInline var isAtRest = false
    /// Whether a turn is nothing but the reducer: no interceptors, no observers, and the store is open. One flag, so
    /// that the hot path asks one question.
    @exclusivity(unchecked) @usableFromInline var isPlain: Bool
    /// Whether a turn is more than the reducer, because of interceptors or observers.
    @exclusivity(unchecked) @usableFromInline var isElaborate: Bool
    @exclusivity(unchecked) @usableFromInline var lifecycle = Lifecycle()
    @exclusivity(unchecked) @usableFromInline var watchers: [Watcher<State>] = []
    /// The filters of the watchers, in the same order.
    @exclusivity(unchecked) @usableFromInline var filters: [PartFilter] = []
    /// Those who observe entries of tables, by the key path of the table.
    @exclusivity(unchecked) var tables: [AnyKeyPath: any AnyTableWatcher] = [:]
    /// Those who observe actions, if there ever were any, and how many there are.
    @exclusivity(unchecked) var actionGroup: Broadcast<(action: Action, state: State)>?
    @exclusivity(unchecked) @usableFromInline var actionObservers = 0
    @exclusivity(unchecked) @usableFromInline var unpublishedActions: [(action: Action, state: State)] = []
    /// Set when an observer comes who can suspend the store.
    @exclusivity(unchecked) @usableFromInline var suspension: TurnSuspension?
    @exclusivity(unchecked) var effects = EffectMachine<Action>()
    @exclusivity(unchecked) var effectWaiters: [EffectWaiter] = []
    @exclusivity(unchecked) var failures = FailureLog()
    /// The letters that the owner is reading.
    @exclusivity(unchecked) @usableFromInline var batch: [Letter<State, Action>] = []
    /// The place in `batch` of the next one.
    @exclusivity(unchecked) @usableFromInline var batchIndex = 0

    // MARK: Under the lock

    private let padding = CacheLinePadding()
    @usableFromInline let mailboxLock = Lock()
    @exclusivity(unchecked) @usableFromInline var mailbox: Mailbox<Letter<State, Action>>

    @usableFromInline
    init(
        state: State,
        reducer: @escaping @Sendable (inout State, Action) -> Effect<Action>,
        interceptors: [Interceptor<State, Action>],
        configuration: StoreConfiguration
    ) {
        self.state = state
        self.reducer = reducer
        self.interceptors = interceptors
        self.configuration = configuration
        isPlain = interceptors.isEmpty
        isElaborate = !interceptors.isEmpty
        mailbox = Mailbox(capacity: configuration.mailbox)
    }

    /// Reconsiders ``isPlain`` and ``isElaborate`` after any of what they stand for has changed.
    func updateFlags() {
        isElaborate = !interceptors.isEmpty || !watchers.isEmpty || actionObservers > 0
        isPlain = !isElaborate && lifecycle.isOpen
    }
}
