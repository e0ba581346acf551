/// An executor on which a run is the same each time, so that nothing may depend on how long anything takes.
package protocol DeterministicExecutor {
    /// The limits of the turns of stores that run on it.
    var workLimits: WorkLimits { get }
}

/// What can be chosen about a store besides its state and its reducer.
///
/// ```swift
/// var configuration = StoreConfiguration(name: "orders")
/// configuration.mailbox = .bounded(10_000, whenFull: .suspend)
/// let store = Store(initialState: Orders.State(), reducer: Orders(), configuration: configuration)
/// ```
public struct StoreConfiguration: Sendable {
    /// Names the store in diagnostics.
    public var name: String
    /// How many actions may wait while the store is busy, and what happens to one more.
    public var mailbox: MailboxCapacity
    /// The priority of tasks that the store starts on its own behalf: effects of sent actions, and work that a sender
    /// hands over. Effects of dispatched actions take the dispatcher's priority. nil leaves it to the runtime.
    public var priority: TaskPriority? {
        get { rawPriority.map(TaskPriority.init(rawValue:)) }
        set { rawPriority = newValue?.rawValue }
    }
    /// The priority as a number: the size of a `TaskPriority` is known at run time only, and with it that of whatever
    /// contains one, so that every field of a store would have to be looked for.
    private var rawPriority: UInt8?
    /// Where the store's tasks run: effects, and what the store itself leaves to the background, such as messages in
    /// the mailbox, deadlines and cancellations; nil for the global executor. A test gives an executor of its own here.
    ///
    /// Work that blocks its thread holds these up if it blocks all threads of this executor, as it would on the global
    /// one. ``Effect/on(_:)`` gives it an executor of its own.
    ///
    /// Swift keeps an executor no longer than the tasks that run on it, and not while its `enqueue` runs: an `enqueue`
    /// that uses `self` after it has handed the job to another thread must see to it that this is still there. Keep an
    /// executor as long as the process, or let `enqueue` hold `self` until it returns.
    public var executor: (any TaskExecutor)? { didSet { takeLimits() } }

    /// How much is done in one go. A test gives narrower limits here, and a time of its own.
    @usableFromInline package var limits = WorkLimits.standard

    /// Creates a configuration; every part has a default.
    public init(
        name: String = "store",
        mailbox: MailboxCapacity = .unbounded,
        priority: TaskPriority? = nil,
        executor: (any TaskExecutor)? = nil
    ) {
        self.name = name
        self.mailbox = mailbox
        rawPriority = priority?.rawValue
        self.executor = executor
        takeLimits()
    }

    private mutating func takeLimits() {
        if let executor = executor as? any DeterministicExecutor { limits = executor.workLimits }
    }
}

/// How many actions a store lets wait, and what happens to one more.
///
/// An action waits only while the store is busy with others: an idle store reduces at once. Reads, subscriptions and
/// the ends of effects pass through the mailbox too, in order, but never count and are never dropped.
///
/// The thread that has the store's turn takes all waiting actions out of the mailbox at once, and reduces them one
/// after the other. Those that it has taken out no longer count, and are not dropped, so that up to `limit` of them can
/// be accepted and not yet reduced beside as many in the mailbox.
public struct MailboxCapacity: Sendable, Equatable {
    /// What happens to an action that finds the mailbox full.
    public struct OverflowPolicy: Sendable, Equatable {
        enum Kind: Sendable { case suspend, reject, dropNewest, dropOldest }
        let kind: Kind

        /// `dispatch` suspends until there is room, first come, first served; it throws ``StoreError/cancelled`` if its
        /// task is cancelled meanwhile. `send` cannot suspend: it is refused with ``StoreError/overloaded``,
        /// also in an effect, which can send with ``Send/waitingForRoom(_:isolation:)`` instead.
        public static let suspend = OverflowPolicy(kind: .suspend)
        /// `dispatch` throws ``StoreError/overloaded``, `send` is refused with it.
        public static let reject = OverflowPolicy(kind: .reject)
        /// The action that comes is dropped: `dispatch` throws ``StoreError/overloaded``, `send` returns
        /// ``SendOutcome/dropped``.
        public static let dropNewest = OverflowPolicy(kind: .dropNewest)
        /// The oldest action in the mailbox is dropped, and a `dispatch` that awaited it throws
        /// ``StoreError/overloaded``; the action that comes is accepted. So an action whose `send` returned
        /// ``SendOutcome/accepted`` can be dropped later, for which only ``StoreStatistics/droppedActions`` is a sign.
        public static let dropOldest = OverflowPolicy(kind: .dropOldest)
    }

    let limit: Int?
    let policy: OverflowPolicy

    /// Any number of actions may wait; memory is the limit.
    public static let unbounded = MailboxCapacity(limit: nil, policy: .reject)

    /// At most `limit` actions may wait in the mailbox.
    ///
    /// - Parameters:
    ///   - limit: The number of actions, at least 1. Less is a programmer error, and traps.
    ///   - policy: What happens to an action that finds the mailbox full.
    public static func bounded(_ limit: Int, whenFull policy: OverflowPolicy) -> MailboxCapacity {
        guard limit >= 1 else {
            fatalError("MailboxCapacity.bounded(\(limit), …) has no room for an action. Give a limit of at least 1.")
        }
        return MailboxCapacity(limit: limit, policy: policy)
    }
}
