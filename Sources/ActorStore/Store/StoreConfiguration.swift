/// An executor on which a run is the same each time, so that nothing may depend on how long anything takes.
package protocol DeterministicExecutor {
    /// The limits of the turns of stores that run on it.
    var workLimits: WorkLimits { get }
}

extension TaskExecutor {
    /// The same executor if it is one on which a run is the same each time. Such a one also runs what others leave to the
    /// global executor, so that it does not wait for work that blocks: alarms, cancellations and housekeeping.
    package var ifDeterministic: (any TaskExecutor)? { self is any DeterministicExecutor ? self : nil }
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
    /// Where effects run, the loading of the first state, and the background task that reduces messages which are left in
    /// the mailbox; nil for the global executor. A test gives an executor of its own here.
    ///
    /// Messages in the mailbox wait for this executor if no sender reduces them. So effects that block their threads belong
    /// on an executor of their own, which ``Effect/on(_:)`` gives them. Deadlines, time-outs, the cancellation of effects
    /// and other housekeeping do not wait for it: they run on the global executor.
    public var executor: (any TaskExecutor)? { didSet { takeLimits() } }

    /// Where alarms, cancellations and housekeeping run, so that they do not wait for effects that block ``executor``; nil
    /// for the global executor.
    @usableFromInline var housekeepingExecutor: (any TaskExecutor)? { executor?.ifDeterministic }

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
