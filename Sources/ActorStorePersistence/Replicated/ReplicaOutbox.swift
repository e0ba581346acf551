import Foundation

/// The pending entries of one replica, their senders, and the acceptance of further ones: a plain value.
///
/// An entry is settled when the log has acknowledged it and it has been reduced here: the log can return an entry
/// before it is as durable as the engine guarantees.
struct ReplicaOutbox<Waiter, Sender> {
    /// The name of the log, for errors.
    let log: String
    let origin: String
    let disconnection: DisconnectionPolicy
    private(set) var entries: PendingEntries<Waiter>
    /// The number of the newest entry that was reduced here.
    private var reduced: UInt64
    /// The senders of pending actions, which await the outcome.
    private var senders: [UInt64: Sender] = [:]
    /// The numbers of pending entries that are not actions.
    private var notes: Set<UInt64> = []
    /// The reason why the writer has no connection; nil if it is connected.
    private(set) var writing: ActionLogError?
    /// The reason why the follower has no connection; nil if it is connected.
    private(set) var reading: ActionLogError?
    /// Whether only effects may still send.
    var isClosing = false
    /// Whether the replica waits before an entry, instead of having ended.
    private(set) var isWaiting = false

    /// Creates an outbox.
    ///
    /// - Parameter number: The number of the first entry of the replica.
    init(
        of origin: String,
        _ log: String,
        after number: UInt64,
        _ disconnection: DisconnectionPolicy,
        limit: Int,
        byteLimit: Int
    ) {
        self.log = log
        self.origin = origin
        self.disconnection = disconnection
        entries = PendingEntries(after: number, limit: limit, byteLimit: byteLimit, interval: nil)
        reduced = number
    }

    /// The connection of the replica to its log.
    var phase: ReplicaPhase {
        if let end = entries.end { return isWaiting ? .waiting(end) : .ended(end) }
        if let problem = writing ?? reading { return .disconnected(problem) }
        return .connected
    }

    /// The number of the newest entry that the log has acknowledged, if it has not been reduced here.
    var awaited: UInt64? { entries.appended > reduced ? entries.appended : nil }

    /// The number of pending actions.
    var actions: Int { entries.count - notes.count }

    // MARK: Calls of the store

    /// Returns why no action is accepted now; nil if actions are accepted.
    func refusal(ofEffect: Bool) -> ActionLogError? {
        if let end = entries.end { return end }
        if isClosing && !ofEffect {
            return ActionLogError(.closed, in: log, "The replica is being shut down, and accepts no more actions.")
        }
        if disconnection == .refuse, let problem = writing ?? reading { return problem }
        guard entries.isFull else { return nil }
        return ActionLogError(
            .overloaded,
            in: log,
            "\(actions) actions wait to be written and reduced, which is the limit. Try again later."
        )
    }

    /// Adds an entry.
    ///
    /// - Parameters:
    ///   - header: The header of the entry.
    ///   - payload: The encoded action.
    ///   - sender: The sender, which awaits the outcome; nil if the entry is not an action.
    /// - Returns: The number of the entry, and the wake-up of the writer.
    mutating func append(
        _ header: String,
        _ payload: Data,
        from sender: Sender?
    ) -> (number: UInt64, wake: PendingEntries<Waiter>.Wake) {
        let number = entries.accepted + 1
        if let sender { senders[number] = sender } else { notes.insert(number) }
        let identity = ActionLogEntry.Identity(origin: origin, number: number)
        return (number, entries.append(ActionLogEntry(identity, header: header, payload: payload)))
    }

    /// Updates the sender of a pending entry.
    mutating func updateSender<Result>(of number: UInt64, _ body: (inout Sender) -> Result?) -> Result? {
        guard var sender = senders[number] else { return nil }
        defer { senders[number] = sender }
        return body(&sender)
    }

    /// Updates the senders of all pending entries.
    mutating func updateSenders<Result>(_ body: (inout Sender) -> Result?) -> [Result] {
        senders.keys.sorted().compactMap { updateSender(of: $0, body) }
    }

    /// Removes and returns the sender of an entry that was read from the log.
    mutating func takeSender(of number: UInt64) -> Sender? { senders.removeValue(forKey: number) }

    /// Removes and returns the senders of entries up to a number, which came back without being reduced here.
    mutating func takeSenders(through number: UInt64) -> [Sender] {
        let numbers = senders.keys.filter { $0 <= number }.sorted()
        return numbers.compactMap { senders.removeValue(forKey: $0) }
    }

    /// Returns an identity for a new waiter.
    mutating func makeIdentity() -> UInt64 { entries.makeIdentity() }

    /// Waits until the entry with this number, and all before it, are settled.
    mutating func wait(for number: UInt64, _ waiter: Waiter, _ identity: UInt64) -> PendingEntries<Waiter>.Wait {
        entries.wait(for: number, waiter, identity)
    }

    /// Removes a waiter for a number and returns it; nil if it is not waiting.
    mutating func removeWaiter(_ identity: UInt64, for number: UInt64) -> Waiter? {
        entries.removeWaiter(identity, for: number)
    }

    // MARK: Calls of the writer and the follower

    /// Takes the next entries to append. If the result is empty, the writer is asleep.
    mutating func take(atMost bytes: Int) -> [ActionLogEntry] { entries.take(atMost: bytes, hasOtherWork: false) }

    /// Records that the log has acknowledged everything up to this number.
    ///
    /// - Returns: The waiters to resume.
    mutating func noteAppended(through number: UInt64) -> [Waiter] {
        entries.noteAppended(through: number)
        writing = nil
        return settle()
    }

    /// Records that everything up to this number has been reduced here.
    ///
    /// - Returns: The waiters to resume.
    mutating func noteReduced(through number: UInt64) -> [Waiter] {
        reduced = max(reduced, number)
        return settle()
    }

    private mutating func settle() -> [Waiter] {
        let waiters = entries.settle(through: min(entries.appended, reduced))
        notes = notes.filter { $0 > entries.settled }
        return waiters
    }

    /// Records that taken entries could not be appended, and will be retried after a delay.
    ///
    /// - Parameters:
    ///   - error: The error of the connection; nil if the connection is not the cause.
    ///   - duration: The delay.
    mutating func retry(_ error: ActionLogError?, after duration: Duration) -> PendingEntries<Waiter>.Wake {
        writing = error
        return entries.retry(after: duration)
    }

    /// Records that the wait before a retry has passed.
    mutating func waitEnded() -> PendingEntries<Waiter>.Wake { entries.waitEnded() }

    /// Records that the follower's connection was lost, or is restored.
    mutating func noteReading(_ problem: ActionLogError?) { reading = problem }

    /// Ends the acceptance of entries.
    ///
    /// - Parameters:
    ///   - error: The reason.
    ///   - isWaiting: Whether the replica waits before an entry that it cannot reduce.
    /// - Returns: The remaining waiters, and the senders of pending actions.
    mutating func end(_ error: ActionLogError, isWaiting: Bool = false) -> (waiters: [Waiter], senders: [Sender]) {
        // The end of a waiting replica is final.
        if entries.end == nil || self.isWaiting { self.isWaiting = isWaiting }
        return (entries.end(error), takeSenders(through: .max))
    }
}
