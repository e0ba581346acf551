/// The entries of one store that are not known to be settled, and their waiters: a plain value.
///
/// Each entry has a number, and entries are appended in that order. The writer takes all available entries, appends
/// them, and reports the result. Entries that arrive meanwhile form the next group; this is the group commit. An entry
/// is settled when the log has it, or when it was read from the log and reduced, depending on the store.
struct PendingEntries<Waiter> {
    /// The required wake-up of the writer.
    enum Wake: Equatable {
        case no
        case now
        /// After this time, by ``PendingEntries/intervalEnded()``.
        case after(Duration)
        /// After this time, by ``PendingEntries/waitEnded()``.
        case again(after: Duration)
    }

    /// The maximum numbers of entries, and of their bytes, of a dispatch that is appended in one group. The engines of
    /// this package append larger groups.
    static var largestDispatch: (entries: Int, bytes: Int) { (10_000, 128 << 20) }

    /// The maximum number of pending entries, and of their bytes.
    let limit: Int
    let byteLimit: Int
    /// The time for which entries gather before they are appended, unless a caller waits for them.
    private(set) var interval: Duration?

    /// The number of the newest accepted entry.
    private(set) var accepted: UInt64
    /// The number of the newest entry that the log has.
    private(set) var appended: UInt64
    /// The number of the newest settled entry.
    private(set) var settled: UInt64
    /// The number of the newest entry that the writer has taken.
    private var taken: UInt64
    /// The entries after ``appended``.
    private var entries: [ActionLogEntry] = []
    /// The dispatch that is being reduced; nil between dispatches.
    private var openDispatch: OpenDispatch?
    /// The numbers of entries that are appended in one group, because they are of one dispatch.
    private var dispatches: [ClosedRange<UInt64>] = []
    /// The number of bytes of `entries`.
    private(set) var bytes = 0
    /// The waiters, by number.
    private var waiters = OrderedWaiters<Waiter>()
    /// Whether the writer is running, or about to run.
    private(set) var isAwake = false
    /// Whether the writer will be woken at the end of the interval.
    private var isScheduled = false
    /// Whether the writer will be woken to retry.
    private var isWaiting = false
    /// The reason why no more entries are accepted.
    private(set) var end: ActionLogError?

    private struct OpenDispatch {
        /// The number of its first entry.
        let first: UInt64
        /// Whether a caller waits for one of its entries.
        var isAwaited = false
    }

    init(after number: UInt64, limit: Int, byteLimit: Int, interval: Duration?) {
        self.limit = max(limit, 1)
        self.byteLimit = max(byteLimit, 1)
        self.interval = interval
        (accepted, appended, settled, taken) = (number, number, number, number)
    }

    /// The number of entries that are not known to be settled.
    var count: Int { Int(accepted - settled) }

    /// The number of entries that the writer can take, and has not taken yet.
    var untaken: Int { available - Int(taken - appended) }

    /// The number of entries of complete dispatches.
    private var available: Int { openDispatch.map { Int($0.first - 1 - appended) } ?? entries.count }

    /// Whether no more entries are accepted for now.
    var isFull: Bool { count >= limit || bytes >= byteLimit }

    /// Whether so many entries are pending that senders should wait if they can.
    var isBusy: Bool { count >= max(limit / 2, 1) || bytes >= byteLimit / 2 }

    // MARK: Calls of the store

    /// Adds an entry, which has the next number.
    ///
    /// - Parameter isAwaited: Whether a caller waits for it, so that it is appended without waiting for an interval.
    mutating func append(_ entry: ActionLogEntry, isAwaited: Bool = false) -> Wake {
        accepted += 1
        bytes += entry.size
        entries.append(entry)
        guard openDispatch == nil else {
            if isAwaited { openDispatch?.isAwaited = true }
            return .no
        }
        return isAwaited ? wake() : wakeForEntries()
    }

    /// Begins a dispatch. Its entries are appended together, when it has ended: an interceptor can split its action,
    /// and a crash must not lose a part of it. Those of a very large one are not, because engines limit their groups.
    mutating func beginDispatch() { openDispatch = OpenDispatch(first: accepted + 1) }

    /// Ends the dispatch.
    mutating func endDispatch() -> Wake {
        guard let dispatch = openDispatch.take() else { return .no }
        let first = dispatch.first
        guard first <= accepted else { return .no }
        if first < accepted, isOneGroup(ofLast: Int(accepted - first) + 1) { dispatches.append(first...accepted) }
        // Woken by a caller that waits for one of these entries, the writer could not take it yet.
        if dispatch.isAwaited || waiters.last ?? 0 >= first { return wake() }
        return wakeForEntries()
    }

    /// Appends all entries without waiting for an interval from now on, because the store is being shut down.
    mutating func endInterval() -> Wake {
        interval = nil
        return appended < accepted ? wake() : .no
    }

    /// Returns whether the engines append this number of newest entries in one group.
    private func isOneGroup(ofLast count: Int) -> Bool {
        let limit = Self.largestDispatch
        return count <= limit.entries && entries.suffix(count).reduce(0) { $0 + $1.size } <= limit.bytes
    }

    /// Wakes the writer for new entries.
    private mutating func wakeForEntries() -> Wake {
        guard let interval, !isBusy else { return wake() }
        if isAwake || isScheduled || isWaiting || end != nil { return .no }
        isScheduled = true
        return .after(interval)
    }

    /// Wakes the writer, unless it is waiting to retry: new entries are no reason to retry sooner.
    mutating func wake() -> Wake {
        if isAwake || isWaiting || end != nil { return .no }
        isAwake = true
        return .now
    }

    /// Records that the interval has passed.
    mutating func intervalEnded() -> Wake {
        isScheduled = false
        return appended < accepted ? wake() : .no
    }

    /// Records that the wait before a retry has passed. What is retried need not be an entry.
    mutating func waitEnded() -> Wake {
        isWaiting = false
        return wake()
    }

    /// Returns an identity for a new waiter.
    mutating func makeIdentity() -> UInt64 { waiters.makeIdentity() }

    /// The result of a request to wait.
    enum Wait {
        case waits(Wake)
        case over(ActionLogError?)
    }

    /// Waits until the entry with this number, and all before it, are settled.
    mutating func wait(for number: UInt64, _ waiter: Waiter, _ identity: UInt64) -> Wait {
        if number <= settled { return .over(nil) }
        if let end { return .over(end) }
        waiters.add(waiter, for: number, identity)
        return .waits(wake())
    }

    /// Removes a waiter for a number and returns it; nil if it is not waiting.
    mutating func removeWaiter(_ identity: UInt64, for number: UInt64) -> Waiter? {
        waiters.remove(identity, for: number)
    }

    // MARK: Calls of the writer

    /// Takes the next entries to append: up to a number of bytes, but at least one if there is one, and all of a
    /// dispatch. If the result is empty, the writer is asleep unless it has other work.
    mutating func take(atMost bytes: Int, hasOtherWork: Bool) -> [ActionLogEntry] {
        let start = Int(taken - appended)
        guard end == nil, start < available else {
            isAwake = hasOtherWork && end == nil
            return []
        }
        var size = 0
        let group = entries[start..<available].prefix { entry in
            defer { size += entry.size }
            return size == 0 || size + entry.size <= bytes
        }
        taken += UInt64(group.count)
        let divided = dispatches.first { $0.contains(taken) }
        taken = divided?.upperBound ?? taken
        return Array(entries[start..<Int(taken - appended)])
    }

    /// Returns the entries up to a number that the log is not known to have.
    func unappended(through number: UInt64) -> [ActionLogEntry] {
        number > appended ? Array(entries.prefix(Int(min(number - appended, accepted - appended)))) : []
    }

    /// Records that the log has everything up to this number.
    mutating func noteAppended(through number: UInt64) {
        guard number > appended, number <= accepted else { return }
        let count = Int(number - appended)
        bytes -= entries[..<count].reduce(0) { $0 + $1.size }
        entries.removeFirst(count)
        appended = number
        taken = max(taken, number)
        dispatches.removeAll { $0.upperBound <= number }
    }

    /// Records that everything up to this number is settled.
    ///
    /// - Returns: The waiters to resume.
    mutating func settle(through number: UInt64) -> [Waiter] {
        guard number > settled else { return [] }
        settled = min(number, accepted)
        return waiters.take(through: number)
    }

    /// Records that taken entries could not be appended. They are retried after a delay, when the writer is woken.
    mutating func retry(after duration: Duration) -> Wake {
        taken = appended
        isAwake = false
        guard end == nil, !isWaiting else { return .no }
        isWaiting = true
        return .again(after: duration)
    }

    /// Ends the acceptance of entries.
    ///
    /// - Returns: The remaining waiters.
    mutating func end(_ error: ActionLogError) -> [Waiter] {
        if end == nil { end = error }
        isAwake = false
        return waiters.take(through: .max)
    }
}
