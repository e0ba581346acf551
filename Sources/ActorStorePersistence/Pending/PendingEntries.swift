/// The entries of one store that are not known to be settled yet, and who waits for that: a plain value.
///
/// Each has a number, and they are appended in that order. A writer takes all there are, appends them, and says how it
/// went; meanwhile more come, which it takes next: that is the group commit. An entry is settled when the log has it,
/// or when it has come back by the log and has been reduced, whichever the store waits for.
struct PendingEntries<Waiter> {
    /// What is to be done about the writer.
    enum Wake: Equatable {
        case no
        case now
        /// When ``PendingEntries/intervalEnded()`` says so after this time.
        case after(Duration)
        /// When ``PendingEntries/waitEnded()`` says so after this time.
        case again(after: Duration)
    }

    /// How many may be pending, and how many bytes of them.
    let limit: Int
    let byteLimit: Int
    /// How long entries gather before they are appended, unless somebody waits for them.
    let interval: Duration?

    /// The number of the newest entry that was accepted.
    private(set) var accepted: UInt64
    /// The number of the newest that the log has.
    private(set) var appended: UInt64
    /// The number of the newest that is settled.
    private(set) var settled: UInt64
    /// That of the newest that the writer has taken.
    private var taken: UInt64
    /// Those after ``appended``.
    private var entries: [ActionLogEntry] = []
    /// How many bytes of them.
    private(set) var bytes = 0
    /// Who waits for which number.
    private var waiters = OrderedWaiters<Waiter>()
    /// Whether the writer is at work, or about to be.
    private(set) var isAwake = false
    /// Whether it will be woken when the interval has ended.
    private var isScheduled = false
    /// Whether it will be woken to try again.
    private var isWaiting = false
    /// Whether what was taken could not be appended, and is tried again.
    private(set) var isFailing = false
    /// Why nothing is accepted any more.
    private(set) var end: ActionLogError?

    init(after number: UInt64, limit: Int, byteLimit: Int, interval: Duration?) {
        self.limit = max(limit, 1)
        self.byteLimit = max(byteLimit, 1)
        self.interval = interval
        (accepted, appended, settled, taken) = (number, number, number, number)
    }

    /// How many are not known to be settled.
    var count: Int { Int(accepted - settled) }

    /// How many the writer has still to take.
    var untaken: Int { entries.count - Int(taken - appended) }

    /// Whether no further one is accepted for now.
    var isFull: Bool { count >= limit || bytes >= byteLimit }

    /// Whether so many wait that those who can wait should.
    var isBusy: Bool { count >= max(limit / 2, 1) || bytes >= byteLimit / 2 }

    // MARK: For the store

    /// Takes an entry, which has the next number.
    mutating func append(_ entry: ActionLogEntry) -> Wake {
        accepted += 1
        bytes += entry.size
        entries.append(entry)
        guard let interval, !isBusy else { return wake() }
        if isAwake || isScheduled || isWaiting || end != nil { return .no }
        isScheduled = true
        return .after(interval)
    }

    /// Has the writer begin, unless it will be woken to try again: what comes meanwhile is no reason to try sooner.
    mutating func wake() -> Wake {
        if isAwake || isWaiting || end != nil { return .no }
        isAwake = true
        return .now
    }

    /// The time is over after which the writer was to be woken.
    mutating func intervalEnded() -> Wake {
        isScheduled = false
        return appended < accepted ? wake() : .no
    }

    /// The time is over after which the writer tries again what it could not do, which need not be an entry.
    mutating func waitEnded() -> Wake {
        isWaiting = false
        return wake()
    }

    /// Names one who is about to wait.
    mutating func makeIdentity() -> UInt64 { waiters.makeIdentity() }

    /// What becomes of one who wants to wait for an entry.
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

    /// Takes back one who waits.
    mutating func removeWaiter(_ identity: UInt64) -> Waiter? { waiters.remove(identity) }

    // MARK: For the writer

    /// The next entries to be appended, at most so many bytes, but at least one if there is one; none if there is
    /// nothing to do, and then the writer is asleep unless it has other work.
    mutating func take(atMost bytes: Int, hasOtherWork: Bool) -> [ActionLogEntry] {
        let start = Int(taken - appended)
        guard end == nil, start < entries.count else {
            isAwake = hasOtherWork && end == nil
            return []
        }
        var size = 0
        let group = entries[start...].prefix { entry in
            defer { size += entry.size }
            return size == 0 || size + entry.size <= bytes
        }
        taken += UInt64(group.count)
        return Array(group)
    }

    /// The entries up to a number that the log is not known to have.
    func unappended(through number: UInt64) -> [ActionLogEntry] {
        number > appended ? Array(entries.prefix(Int(min(number - appended, accepted - appended)))) : []
    }

    /// The log has everything up to this number.
    mutating func noteAppended(through number: UInt64) {
        guard number > appended, number <= accepted else { return }
        let count = Int(number - appended)
        bytes -= entries[..<count].reduce(0) { $0 + $1.size }
        entries.removeFirst(count)
        appended = number
        taken = max(taken, number)
        isFailing = false
    }

    /// Everything up to this number is settled.
    ///
    /// - Returns: Those who waited for it.
    mutating func settle(through number: UInt64) -> [Waiter] {
        guard number > settled else { return [] }
        settled = min(number, accepted)
        return waiters.take(through: number)
    }

    /// What was taken could not be appended, and will be tried again after some time, when the writer is woken.
    mutating func retry(after duration: Duration) -> Wake {
        taken = appended
        isAwake = false
        isFailing = true
        guard end == nil, !isWaiting else { return .no }
        isWaiting = true
        return .again(after: duration)
    }

    /// Nothing is accepted or appended any more.
    ///
    /// - Returns: Those who wait, for nothing now.
    mutating func end(_ error: ActionLogError) -> [Waiter] {
        if end == nil { end = error }
        isAwake = false
        return waiters.take(through: .max)
    }
}
