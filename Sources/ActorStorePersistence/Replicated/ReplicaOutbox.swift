import Foundation

/// The entries of one replica that are on their way, what becomes of them, and whether further ones are accepted: a
/// plain value.
///
/// An entry is settled when the log has acknowledged it and it has been reduced here: the log can show it before it is
/// as durable as the engine promises.
struct ReplicaOutbox<Waiter, Sender> {
    /// The name of the log, for errors.
    let log: String
    let origin: String
    let disconnection: DisconnectionPolicy
    private(set) var entries: PendingEntries<Waiter>
    /// The number of the newest entry that was reduced here.
    private var reduced: UInt64
    /// Who has sent what is on its way, and wants to know what came of it.
    private var senders: [UInt64: Sender] = [:]
    /// Those on their way that are no actions.
    private var notes: Set<UInt64> = []
    /// Why the writer has no connection; nil if it has one.
    private(set) var writing: ActionLogError?
    /// Why the follower has none.
    private(set) var reading: ActionLogError?
    /// Whether only effects may still send.
    var isClosing = false
    /// Whether the replica waits before an entry, instead of having ended.
    private(set) var isWaiting = false

    /// - Parameter number: The number of the entry with which the replica has begun.
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

    /// How the replica is.
    var phase: ReplicaPhase {
        if let end = entries.end { return isWaiting ? .waiting(end) : .ended(end) }
        if let problem = writing ?? reading { return .disconnected(problem) }
        return .connected
    }

    /// The number of the newest entry that the log has acknowledged, if it has still to be reduced here.
    var awaited: UInt64? { entries.appended > reduced ? entries.appended : nil }

    /// How many actions are on their way.
    var actions: Int { entries.count - notes.count }

    // MARK: For the store

    /// Why no action is accepted for now.
    func refusal(ofEffect: Bool) -> ActionLogError? {
        if let end = entries.end { return end }
        if isClosing && !ofEffect { return ActionLogError(.closed, in: log, "The replica is being shut down.") }
        if disconnection == .refuse, let problem = writing ?? reading { return problem }
        guard entries.isFull else { return nil }
        return ActionLogError(
            .overloaded,
            in: log,
            "\(actions) actions wait to be written and reduced, as many as may. Try again later."
        )
    }

    /// Takes an entry.
    ///
    /// - Parameter sender: Who wants to know what comes of it; nil if it is no action.
    /// - Returns: Its number.
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

    /// Changes what is known of who has sent the entry with this number, if that is on its way.
    mutating func updateSender<Result>(of number: UInt64, _ body: (inout Sender) -> Result?) -> Result? {
        guard var sender = senders[number] else { return nil }
        defer { senders[number] = sender }
        return body(&sender)
    }

    /// Takes who has sent the entry with this number, which has come back.
    mutating func takeSender(of number: UInt64) -> Sender? { senders.removeValue(forKey: number) }

    /// Takes those out whose entries have a number up to this one, because these came back otherwise than by being
    /// reduced here.
    mutating func takeSenders(through number: UInt64) -> [Sender] {
        let numbers = senders.keys.filter { $0 <= number }.sorted()
        return numbers.compactMap { senders.removeValue(forKey: $0) }
    }

    /// Names one who is about to wait.
    mutating func makeIdentity() -> UInt64 { entries.makeIdentity() }

    /// Waits until the entry with this number, and all before it, are settled.
    mutating func wait(for number: UInt64, _ waiter: Waiter, _ identity: UInt64) -> PendingEntries<Waiter>.Wait {
        entries.wait(for: number, waiter, identity)
    }

    /// Takes back one who waits.
    mutating func removeWaiter(_ identity: UInt64) -> Waiter? { entries.removeWaiter(identity) }

    // MARK: For the writer and the follower

    /// The next entries to be appended; none if there is nothing to do, and then the writer is asleep.
    mutating func take(atMost bytes: Int) -> [ActionLogEntry] { entries.take(atMost: bytes, hasOtherWork: false) }

    /// The log has acknowledged everything up to this number.
    ///
    /// - Returns: Those who waited for what is settled by that.
    mutating func noteAppended(through number: UInt64) -> [Waiter] {
        entries.noteAppended(through: number)
        writing = nil
        return settle()
    }

    /// Everything up to this number has been reduced here.
    ///
    /// - Returns: Those who waited for what is settled by that.
    mutating func noteReduced(through number: UInt64) -> [Waiter] {
        reduced = max(reduced, number)
        return settle()
    }

    private mutating func settle() -> [Waiter] {
        let waiters = entries.settle(through: min(entries.appended, reduced))
        notes = notes.filter { $0 > entries.settled }
        return waiters
    }

    /// What was taken could not be appended, and is tried again after some time.
    ///
    /// - Parameter error: What is wrong with the connection; nil if that is not what is wrong.
    mutating func retry(_ error: ActionLogError?, after duration: Duration) -> PendingEntries<Waiter>.Wake {
        writing = error
        return entries.retry(after: duration)
    }

    /// The time is over after which what could not be appended is tried again.
    mutating func waitEnded() -> PendingEntries<Waiter>.Wake { entries.waitEnded() }

    /// The follower has lost its connection, or has one again.
    mutating func noteReading(_ problem: ActionLogError?) { reading = problem }

    /// Nothing is accepted or appended any more.
    ///
    /// - Parameter isWaiting: Whether the replica waits before an entry that it cannot reduce.
    /// - Returns: Those who wait, for nothing now, and those whose actions are on their way.
    mutating func end(_ error: ActionLogError, isWaiting: Bool = false) -> (waiters: [Waiter], senders: [Sender]) {
        // The end of one that waits is an end.
        if entries.end == nil || self.isWaiting { self.isWaiting = isWaiting }
        return (entries.end(error), takeSenders(through: .max))
    }
}
