/// The queue of a busy store: a plain value, without locks or tasks.
///
/// Invariants:
/// - `waitingActions` is the total weight of `messages`, and never exceeds the limit.
/// - `suspended` contains only messages that found the mailbox full. They are older than anything that is accepted
///   after them, so nothing is accepted before them.
@usableFromInline
struct Mailbox<Message: MailboxMessage> {
    /// The result of offering an action.
    @usableFromInline
    enum Admission {
        /// The action is queued, and so are all before it.
        case accepted
        /// The action is queued, and displaced older ones, which are now in `refused`.
        case acceptedInPlaceOfOthers
        /// The action was dropped in favour of the queued ones.
        case dropped
        /// The mailbox has no room for the action.
        case full
        /// The store has been shut down.
        case closed
    }

    /// Why a message will not be processed.
    enum Refusal {
        case displaced
        case closed
        case withdrawn
    }

    @usableFromInline let limit: Int
    private let policy: MailboxCapacity.OverflowPolicy
    // The small properties side by side, because every store has a mailbox.
    @usableFromInline var isClosed = false
    /// Whether a thread other than the owner of the turn may have added any of the `messages`.
    @usableFromInline var hasForeignMessages = false
    /// The highest priority of the messages added since the last `take(into:)`.
    @usableFromInline var highestPriority: UInt8 = 0
    @usableFromInline var waitingActions = 0
    private(set) var droppedActions = 0
    @usableFromInline var messages: [Message] = []
    /// All actions in `messages` are at this index or after it.
    @usableFromInline var oldestAction = 0
    /// The number of placeholders for removed messages in `messages`.
    @usableFromInline var removedMessages = 0
    @usableFromInline var suspended = SuspensionQueue<Message>()
    /// Messages that were accepted, or waited for room, and will not be processed. They are kept until they are taken
    /// out outside all turns, because releasing them can run user code.
    private(set) var refused: [(message: Message, reason: Refusal)] = []

    @usableFromInline
    init(capacity: MailboxCapacity) {
        limit = capacity.limit ?? .max
        policy = capacity.policy
    }

    /// Offers an action, or a batch of actions.
    ///
    /// - Parameter whenClosed: Whether it is accepted after the mailbox was closed to actions from outside.
    @inlinable
    mutating func offer(_ message: Message, whenClosed: Bool = false) -> Admission {
        guard !isClosed || whenClosed else { return .closed }
        guard hasRoom(for: message) else { return overflow(message) }
        waitingActions += message.weight
        messages.append(message)
        highestPriority = max(highestPriority, message.priority)
        return .accepted
    }

    /// Adds a message that must never be dropped or refused.
    @inlinable
    mutating func append(_ message: Message) {
        messages.append(message)
    }

    /// Suspends a dispatch until there is room.
    ///
    /// - Returns: A key to withdraw it with; nil if there was room and it was accepted.
    mutating func suspend(_ message: Message) -> SuspensionQueue<Message>.Key? {
        highestPriority = max(highestPriority, message.priority)
        guard !hasRoom(for: message) else {
            waitingActions += message.weight
            messages.append(message)
            return nil
        }
        return suspended.append(message)
    }

    /// Refuses a dispatch that no longer waits for room.
    ///
    /// - Returns: `false` if it has been accepted or refused meanwhile.
    mutating func withdraw(_ key: SuspensionQueue<Message>.Key) -> Bool {
        guard let message = suspended.remove(key) else { return false }
        refused.append((message, .withdrawn))
        return true
    }

    /// Refuses all further actions from outside, and those that wait for room.
    mutating func close() {
        isClosed = true
        refused += suspended.removeAll().map { ($0, .closed) }
    }

    /// Removes and returns the refused messages.
    mutating func takeRefused() -> [(message: Message, reason: Refusal)] {
        defer { refused = [] }
        return refused
    }

    /// Refuses all further actions from outside, unless the mailbox contains messages.
    ///
    /// - Returns: `true` if the mailbox was empty.
    mutating func closeIfEmpty() -> Bool {
        guard messages.isEmpty && suspended.isEmpty else { return false }
        isClosed = true
        return true
    }

    /// Moves all messages into `batch`, which must be empty and whose memory is reused for later messages. Then accepts
    /// as many suspended dispatches as there is room for.
    @inlinable
    mutating func take(into batch: inout [Message]) {
        swap(&messages, &batch)
        waitingActions = 0
        oldestAction = 0
        removedMessages = 0
        // Suspended messages keep their priority.
        if suspended.isEmpty { highestPriority = 0 } else { admitSuspended() }
        hasForeignMessages = !messages.isEmpty
    }

    @inlinable
    func hasRoom(for message: Message) -> Bool {
        // Subtracted, because the sum of a weight and an unbounded limit could overflow. A message without weight takes
        // no room from suspended ones.
        message.weight <= limit - waitingActions && (suspended.isEmpty || message.weight == 0)
    }

    @usableFromInline
    mutating func admitSuspended() {
        while waitingActions < limit, let message = suspended.removeFirst() {
            waitingActions += message.weight
            messages.append(message)
        }
    }

    @usableFromInline
    mutating func overflow(_ message: Message) -> Admission {
        switch policy.kind {
        case .suspend, .reject:
            return .full
        case .dropOldest where message.weight <= limit:
            while message.weight > limit - waitingActions { refused.append((removeOldestAction(), .displaced)) }
            waitingActions += message.weight
            messages.append(message)
            highestPriority = max(highestPriority, message.priority)
            return .acceptedInPlaceOfOthers
        case .dropNewest, .dropOldest:
            droppedActions += message.weight
            return .dropped
        }
    }

    /// Removes and returns the oldest action. The caller ensures that there is one.
    ///
    /// - Complexity: O(1), amortised.
    private mutating func removeOldestAction() -> Message {
        while messages[oldestAction].weight == 0 { oldestAction += 1 }
        let oldest = messages[oldestAction]
        messages[oldestAction] = .removed
        waitingActions -= oldest.weight
        droppedActions += oldest.weight
        removedMessages += 1
        if removedMessages > messages.count / 2 {
            messages.removeAll { $0.isRemoved }
            removedMessages = 0
            oldestAction = 0
        }
        return oldest
    }
}

/// What a ``Mailbox`` needs of its messages.
@usableFromInline
protocol MailboxMessage {
    /// A placeholder for a removed message.
    static var removed: Self { get }
    /// The number of actions in the message, which counts towards the capacity. Only messages with actions can be
    /// dropped.
    var weight: Int { get }
    /// Whether this is a placeholder.
    var isRemoved: Bool { get }
    /// The priority of the task that waits for the message; 0 if no task does.
    var priority: UInt8 { get }
}
