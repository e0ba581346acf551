/// An executor whose runs are deterministic, so that nothing may depend on durations.
package protocol DeterministicExecutor {
    /// The limits of the turns of stores that run on the executor.
    var workLimits: WorkLimits { get }
}

/// The settings of a store.
///
/// ```swift
/// var configuration = StoreConfiguration(name: "orders")
/// configuration.mailbox = .bounded(10_000, whenFull: .suspend)
/// let store = Store(initialState: Orders.State(), reducer: Orders(), configuration: configuration)
/// ```
public struct StoreConfiguration: Sendable {
    /// The name of the store, for diagnostics.
    public var name: String
    /// The capacity of the mailbox, and its policy for a full mailbox.
    public var mailbox: MailboxCapacity
    /// The priority of tasks that the store starts: effects of sent actions, and work that a sender hands over. Effects
    /// of dispatched actions use the dispatching task's priority. Nil for the default of the runtime.
    public var priority: TaskPriority? {
        get { rawPriority.map(TaskPriority.init(rawValue:)) }
        set { rawPriority = newValue?.rawValue }
    }
    /// The priority as a number. The size of a `TaskPriority` is known only at run time, and a stored one would make
    /// the offset of every field of a store dynamic.
    private var rawPriority: UInt8?
    /// The executor of the store's tasks: effects, and background work of the store such as messages in the mailbox,
    /// deadlines and cancellations. Nil for the global executor. A test can pass its own.
    ///
    /// Work that blocks its threads delays these tasks if it blocks all threads of the executor, as on the global one.
    /// ``Effect/on(_:)`` runs such work on another executor.
    ///
    /// Swift retains an executor only as long as the tasks that run on it, and not while its `enqueue` runs. An
    /// `enqueue` that uses `self` after it has passed the job to another thread must ensure that `self` still exists:
    /// keep the executor for the lifetime of the process, or retain `self` in `enqueue` until it returns.
    public var executor: (any TaskExecutor)? { didSet { takeLimits() } }

    /// The bounds on the work of one turn. A test can set narrower limits, and its own time.
    @usableFromInline package var limits = WorkLimits.standard

    /// Creates a configuration.
    ///
    /// - Parameters:
    ///   - name: The name of the store, for diagnostics.
    ///   - mailbox: The capacity of the mailbox, and its policy for a full mailbox.
    ///   - priority: The priority of tasks that the store starts; nil for the default of the runtime.
    ///   - executor: The executor of the store's tasks; nil for the global executor.
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

/// The number of actions that may wait in a store's mailbox, and the policy for a full mailbox.
///
/// Actions wait only while the store is busy: an idle store reduces an action immediately. Reads, subscriptions, the
/// ends of effects, and the actions of ``Effect/send(_:)`` and ``Send/waitingForRoom(_:isolation:)`` also pass through
/// the mailbox, in order, but never count and are never dropped.
///
/// The thread that owns the store's turn takes all waiting actions out of the mailbox at once, and reduces them one
/// after another. Actions that it has taken no longer count, and are not dropped. So up to `limit` actions can be
/// accepted and not yet reduced, in addition to `limit` in the mailbox.
public struct MailboxCapacity: Sendable, Equatable {
    /// The policy for an action that finds the mailbox full.
    public struct OverflowPolicy: Sendable, Equatable {
        enum Kind: Sendable { case suspend, reject, dropNewest, dropOldest }
        let kind: Kind

        /// `dispatch` suspends until there is room, in first-come, first-served order; it throws
        /// ``StoreError/cancelled`` if its task is cancelled meanwhile. `send` cannot suspend and is refused with
        /// ``StoreError/overloaded``, even in an effect, which can use ``Send/waitingForRoom(_:isolation:)`` instead.
        public static let suspend = OverflowPolicy(kind: .suspend)
        /// `dispatch` throws ``StoreError/overloaded``, and `send` is refused with it.
        public static let reject = OverflowPolicy(kind: .reject)
        /// The new action is dropped: `dispatch` throws ``StoreError/overloaded``, and `send` returns
        /// ``SendOutcome/dropped``.
        public static let dropNewest = OverflowPolicy(kind: .dropNewest)
        /// The oldest action in the mailbox is dropped, and a `dispatch` that awaits it throws
        /// ``StoreError/overloaded``; the new action is accepted. So an action whose `send` returned
        /// ``SendOutcome/accepted`` can be dropped later; only ``StoreStatistics/droppedActions`` shows this.
        public static let dropOldest = OverflowPolicy(kind: .dropOldest)
    }

    let limit: Int?
    let policy: OverflowPolicy

    /// Any number of actions may wait, limited only by memory.
    public static let unbounded = MailboxCapacity(limit: nil, policy: .reject)

    /// Limits the number of actions that may wait in the mailbox.
    ///
    /// - Parameters:
    ///   - limit: The maximum number of actions. It must be at least 1; otherwise this traps.
    ///   - policy: The policy for an action that finds the mailbox full.
    /// - Returns: A capacity.
    public static func bounded(_ limit: Int, whenFull policy: OverflowPolicy) -> MailboxCapacity {
        guard limit >= 1 else {
            fatalError("MailboxCapacity.bounded(\(limit), …) has no room for an action. Give a limit of at least 1.")
        }
        return MailboxCapacity(limit: limit, policy: policy)
    }
}
