/// The queue of what a busy store has still to do: a plain value, without locks or tasks.
///
/// Invariants:
/// - `waitingActions` is the total weight of `messages`, and never exceeds the limit.
/// - `suspended` is empty unless the mailbox was full when they came; they are older than anything that is accepted
///   after them, so nothing is accepted before them.
@usableFromInline
struct Mailbox<Message: MailboxMessage> {
    /// What became of an action.
    @usableFromInline
    enum Admission {
        /// It waits, and so do all that came before it.
        case accepted
        /// It waits, and older ones gave way to it, which are among the refused ones.
        case acceptedInPlaceOfOthers
        /// It gave way to those that wait.
        case dropped
        /// There is no room for it.
        case full
        /// The store has been shut down.
        case closed
    }

    /// Why a message will not be read.
    enum Refusal {
        case displaced
        case closed
        case withdrawn
    }

    @usableFromInline let limit: Int
    private let policy: MailboxCapacity.OverflowPolicy
    // The small ones side by side, because every store has a mailbox.
    @usableFromInline var isClosed = false
    /// Whether any of the `messages` may have been put there by another thread than the owner of the turn.
    @usableFromInline var hasForeignMessages = false
    /// The highest priority of those that have come since the last were taken.
    @usableFromInline var highestPriority: UInt8 = 0
    @usableFromInline var waitingActions = 0
    private(set) var droppedActions = 0
    @usableFromInline var messages: [Message] = []
    /// No action lies before this place in `messages`.
    @usableFromInline var oldestAction = 0
    /// How many of the `messages` stand for one that was taken out.
    @usableFromInline var removedMessages = 0
    @usableFromInline var suspended = SuspensionQueue<Message>()
    /// Messages that were accepted, or waited for room, and will not be read. They stay here until they are taken out
    /// outside of all turns, because releasing them can run code of users.
    private(set) var refused: [(message: Message, reason: Refusal)] = []

    @usableFromInline
    init(capacity: MailboxCapacity) {
        limit = capacity.limit ?? .max
        policy = capacity.policy
    }

    /// Offers an action, or a batch of them.
    ///
    /// - Parameter whenClosed: whether it is accepted after the mailbox was closed to the outside.
    @inlinable
    mutating func offer(_ message: Message, whenClosed: Bool = false) -> Admission {
        guard !isClosed || whenClosed else { return .closed }
        guard hasRoom(for: message) else { return overflow(message) }
        waitingActions += message.weight
        messages.append(message)
        highestPriority = max(highestPriority, message.priority)
        return .accepted
    }

    /// Adds what must never be dropped or refused.
    @inlinable
    mutating func append(_ message: Message) {
        messages.append(message)
    }

    /// Makes a dispatch wait for room.
    ///
    /// - Returns: a key with which it can be taken out again, or nil if there is room by now and it was accepted.
    mutating func suspend(_ message: Message) -> SuspensionQueue<Message>.Key? {
        highestPriority = max(highestPriority, message.priority)
        guard !hasRoom(for: message) else {
            waitingActions += message.weight
            messages.append(message)
            return nil
        }
        return suspended.append(message)
    }

    /// Refuses a dispatch that no longer wants to wait for room.
    ///
    /// - Returns: false if it has been accepted or refused meanwhile.
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

    /// Takes out what was refused.
    mutating func takeRefused() -> [(message: Message, reason: Refusal)] {
        defer { refused = [] }
        return refused
    }

    /// Refuses all further actions from outside, unless anything waits.
    ///
    /// - Returns: whether nothing waits.
    mutating func closeIfEmpty() -> Bool {
        guard messages.isEmpty && suspended.isEmpty else { return false }
        isClosed = true
        return true
    }

    /// Moves all that waits into `batch`, which must be empty and lends its memory to what comes next; then lets as
    /// many suspended dispatches in as there is room for.
    @inlinable
    mutating func take(into batch: inout [Message]) {
        swap(&messages, &batch)
        waitingActions = 0
        oldestAction = 0
        removedMessages = 0
        // Those that are suspended keep theirs.
        if suspended.isEmpty { highestPriority = 0 } else { admitSuspended() }
        hasForeignMessages = !messages.isEmpty
    }

    @inlinable
    func hasRoom(for message: Message) -> Bool {
        // Subtracting, because the sum of a weight and an unbounded limit could overflow.
        // What has no weight takes no room from those who wait for some.
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

    /// Takes the action that has waited longest out of the queue; the caller knows that there is one.
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

/// What a ``Mailbox`` must know of what it holds.
@usableFromInline
protocol MailboxMessage {
    /// Stands for one that was taken out.
    static var removed: Self { get }
    /// The number of actions in it: what it counts for in the capacity. Only those with any can be dropped.
    var weight: Int { get }
    /// Whether it was taken out.
    var isRemoved: Bool { get }
    /// The priority of the task that waits for it; 0 if none does.
    var priority: UInt8 { get }
}
