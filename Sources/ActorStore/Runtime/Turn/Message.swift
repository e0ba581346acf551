/// A message in a store's mailbox. Messages are processed in the order of their arrival.
@usableFromInline
enum Message<State: Sendable, Action: Sendable>: MailboxMessage {
    /// An action whose sender does not wait for it.
    case action(Action)
    /// Actions that are reduced as one turn, with one notification.
    case batch([Action])
    /// An action whose dispatcher, a task of this priority, waits until it has been reduced.
    case dispatch(Action, UnsafeContinuation<DispatchResult, Never>, priority: UInt8)
    /// An action that an effect sends. It is dropped if the effect has been cancelled meanwhile.
    case feedback(Action, EffectJob)
    /// An action that an effect sends and that removes the child of the effect. It is dropped if that child has been
    /// removed meanwhile.
    case dismissal(Action, EffectJob)
    /// An action that a reducer asked to send. It has no sender that could be notified if it is dropped.
    case reply(Action)
    /// A message for another store of the tree.
    case forwarded(ForwardedMessage)
    /// An action that a reducer asked to send, with an effect that can be cancelled or for a child that can be removed.
    /// It is dropped if that has happened meanwhile.
    case childReply(Action, ReplyOrigin)
    /// Any of these with an action, in a store with instruments.
    case timed(TimedMessage<State, Action>)
    /// Anything else that must run in a turn, such as a subscription.
    case task((StoreCore<State, Action>) -> Void)
    /// A job of a task that is isolated to the store.
    case job(UnownedJob)
    /// A message that was dropped before its turn came.
    case removed

    @inlinable var weight: Int {
        switch self {
        case .action, .dispatch, .feedback, .dismissal: 1
        case .batch(let actions): actions.count
        case .forwarded(let message): message.weight
        case .timed(let timed): timed.message.weight
        case .reply, .childReply, .task, .job, .removed: 0
        }
    }

    /// Whether it is something other than an action.
    var isTask: Bool {
        switch self {
        case .task, .job: true
        default: false
        }
    }

    /// Whether it is a job of a task.
    var isJob: Bool { if case .job = self { true } else { false } }

    @inlinable var isRemoved: Bool {
        if case .removed = self { true } else { false }
    }

    @inlinable var priority: UInt8 {
        switch self {
        case .dispatch(_, _, let priority): priority
        case .forwarded(let message): message.priority
        case .timed(let timed): timed.message.priority
        case .action, .batch, .feedback, .dismissal, .reply, .childReply, .task, .job, .removed: 0
        }
    }

    /// Whether releasing it runs no user code.
    @inlinable
    @inline(__always)
    var isReleasedAnywhere: Bool {
        guard _isPOD(Action.self) else { return false }
        return switch self {
        case .action, .reply, .dispatch, .job, .removed: true
        case .batch, .feedback, .dismissal, .forwarded, .childReply, .timed, .task: false
        }
    }
}

/// An answer for a waiting task.
@usableFromInline
enum Answer {
    case result(DispatchResult, to: UnsafeContinuation<DispatchResult, Never>)
    case end(EffectTracker)
    case other(() -> Void)

    @usableFromInline
    func give() {
        switch self {
        case .result(let result, let dispatcher): dispatcher.resume(returning: result)
        case .end(let tracker): tracker.tellEnd()
        case .other(let tell): tell()
        }
    }
}

/// A message for a store of the tree other than the root. The mailbox, which belongs to the root, does not have the
/// type of its actions.
@usableFromInline
final class ForwardedMessage: @unchecked Sendable {
    // Sound: both closures are called in the turn, or by the code that took the message out of the mailbox, and at most
    // one of them, once.
    @usableFromInline let weight: Int
    /// The priority of the task that waits for the message; 0 if no task does.
    @usableFromInline let priority: UInt8
    private let reading: () -> Answer?
    private let refusal: (StoreError) -> Void

    /// Creates a message.
    ///
    /// - Parameters:
    ///   - weight: The number of actions that the message counts as in the mailbox.
    ///   - priority: The priority of the task that waits for the message; 0 if no task does.
    ///   - read: Processes the message within the turn, without writing. Returns the answer for a waiting task.
    ///   - refuse: Notifies a waiting task that the message will not be processed.
    @usableFromInline
    init(
        weight: Int,
        priority: UInt8 = 0,
        read: @escaping () -> Answer?,
        refuse: @escaping (StoreError) -> Void = { _ in }
    ) {
        self.weight = weight
        self.priority = priority
        reading = read
        refusal = refuse
    }

    @usableFromInline
    func read() -> Answer? { reading() }

    @usableFromInline
    func refuse(_ error: StoreError) { refusal(error) }
}
