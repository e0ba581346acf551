/// Which entries of a state have work that runs, waits for a place, or waits for another attempt: a plain value.
///
/// It is told which entries there are now, and how attempts have gone, and says what is to be begun and cancelled.
struct DurableEffectSchedule<Key: Hashable & Sendable>: Sendable {
    /// One attempt to do the work of an entry.
    struct Attempt: Sendable, Hashable {
        let key: Key
        /// Tells it from all other attempts, also from those for an entry of the same key that was there before.
        let id: UInt64
        /// Which attempt for this entry it is; that of the first is 1.
        let number: Int
    }

    /// What is to be done.
    enum Command: Sendable, Equatable {
        /// Do the work of the entry.
        case run(Attempt)
        /// Wait as long as one does after an attempt, and say ``waitEnded(_:)``.
        case wait(after: Attempt)
        /// Cancel what runs, or waits, for an entry that is gone.
        case cancel(Attempt)
    }

    private enum Phase {
        /// There is no place for it yet.
        case queued
        case running
        /// It has ended, and the entry may be there all the same.
        case ended
        case waiting
    }

    /// How many attempts run at a time.
    let limit: Int
    private var entries: [Key: (attempt: Attempt, phase: Phase)] = [:]
    private var queue: [Attempt] = []
    private var running = 0
    private var lastID: UInt64 = 0

    init(limit: Int) { self.limit = max(limit, 1) }

    /// Looks at the entries that there are now.
    mutating func update(_ keys: some Collection<Key>) -> [Command] {
        var commands: [Command] = []
        if !entries.isEmpty {
            let present = Set(keys)
            for (key, entry) in entries where !present.contains(key) {
                entries[key] = nil
                if entry.phase == .running { running -= 1 }
                if entry.phase == .running || entry.phase == .waiting { commands.append(.cancel(entry.attempt)) }
            }
        }
        removeStale()
        for key in keys {
            if let (attempt, phase) = entries[key] {
                guard phase == .ended else { continue }
                entries[key]?.phase = .waiting
                commands.append(.wait(after: attempt))
            } else {
                enqueue(key, 1)
            }
        }
        return commands + takeQueued()
    }

    /// An attempt has ended, well or not. The entries are to be looked at again.
    mutating func attemptEnded(_ attempt: Attempt) -> [Command] {
        guard isCurrent(attempt, .running) else { return [] }
        running -= 1
        entries[attempt.key]?.phase = .ended
        return takeQueued()
    }

    /// The wait after an attempt is over.
    mutating func waitEnded(_ attempt: Attempt) -> [Command] {
        guard isCurrent(attempt, .waiting) else { return [] }
        enqueue(attempt.key, attempt.number == .max ? .max : attempt.number + 1)
        return takeQueued()
    }

    /// Whether an attempt is under way, and not cancelled.
    func isRunning(_ attempt: Attempt) -> Bool { isCurrent(attempt, .running) }

    private func isCurrent(_ attempt: Attempt, _ phase: Phase) -> Bool {
        guard let entry = entries[attempt.key] else { return false }
        return entry.attempt.id == attempt.id && entry.phase == phase
    }

    private mutating func enqueue(_ key: Key, _ number: Int) {
        lastID += 1
        let attempt = Attempt(key: key, id: lastID, number: number)
        entries[key] = (attempt, .queued)
        queue.append(attempt)
    }

    /// How many attempts wait for a place, also those whose entries have gone.
    var queued: Int { queue.count }

    /// Removes attempts whose entries have gone, when they are the most, so that attempts that never end do not keep them.
    private mutating func removeStale() {
        guard queue.count > 2 * entries.count + 64 else { return }
        queue = queue.filter { isCurrent($0, .queued) }
    }

    private mutating func takeQueued() -> [Command] {
        var (commands, taken): ([Command], Int) = ([], 0)
        while running < limit, taken < queue.count {
            let attempt = queue[taken]
            taken += 1
            guard isCurrent(attempt, .queued) else { continue }
            entries[attempt.key]?.phase = .running
            running += 1
            commands.append(.run(attempt))
        }
        queue.removeFirst(taken)
        return commands
    }
}
