/// One thing that a store has to do, in the order in which it was asked.
@usableFromInline
enum Message<State: Sendable, Action: Sendable>: MailboxMessage {
    /// An action of which the sender wants to know no more.
    case action(Action)
    /// Actions that are one turn, with one notification.
    case batch([Action])
    /// An action whose dispatcher, a task of this priority, waits until it has been reduced.
    case dispatch(Action, UnsafeContinuation<DispatchResult, Never>, priority: UInt8)
    /// An action from an effect, which counts only if the effect has not been cancelled meanwhile.
    case feedback(Action, EffectJob)
    /// The same, if it takes the child away whose effect that is; it counts only if that child has not gone meanwhile.
    case dismissal(Action, EffectJob)
    /// An action that an effect has been asked to send; there is no one who could be told that it was dropped.
    case reply(Action)
    /// What somebody asks of another store of the tree.
    case forwarded(ForwardedMessage)
    /// The same for an effect that can be cancelled, or of a child that can go: it counts only if that has not happened
    /// meanwhile.
    case childReply(Action, ReplyOrigin)
    /// Any of these with an action, in a store with instruments.
    case timed(TimedMessage<State, Action>)
    /// Anything else that must be done in a turn, such as a subscription.
    case task((StoreCore<State, Action>) -> Void)
    /// A piece of a task that is isolated to the store.
    case job(UnownedJob)
    /// Was dropped before its turn came.
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

    /// Whether it stands for something other than an action.
    var isTask: Bool {
        switch self {
        case .task, .job: true
        default: false
        }
    }

    /// Whether it is a piece of a task.
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

    /// Whether it holds nothing whose release could run code of users.
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

/// A task that waits, and its result.
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

/// What a store of a tree has to do that is not the root: the mailbox, which is the root's, does not know its actions.
@usableFromInline
final class ForwardedMessage: @unchecked Sendable {
    // Sound: both closures are called in the turn, or by whoever took the message out of the mailbox, and at most one
    // of them, once.
    @usableFromInline let weight: Int
    /// The priority of the task that waits for it; 0 if none does.
    @usableFromInline let priority: UInt8
    private let reading: () -> Answer?
    private let refusal: (StoreError) -> Void

    /// - Parameters:
    ///   - weight: For how many actions it counts in the mailbox.
    ///   - priority: The priority of the task that waits for it; 0 if none does.
    ///   - read: Does it, in the turn, while nothing is written. It returns the answer, for one who waits for it.
    ///   - refuse: Tells one who waits for it that it will not be done.
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
