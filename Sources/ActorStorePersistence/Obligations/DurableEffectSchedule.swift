/// The entries of a state whose operation runs, is queued, or waits for another attempt: a plain value.
///
/// It receives the current entries and the ends of attempts, and returns the attempts to start and cancel.
struct DurableEffectSchedule<Key: Hashable & Sendable>: Sendable {
    /// One attempt to run the operation of an entry.
    struct Attempt: Sendable, Hashable {
        let key: Key
        /// Distinguishes the attempt from all others, including those for an earlier entry of the same key.
        let id: UInt64
        /// The number of the attempt for this entry, from 1 on.
        let number: Int
    }

    /// A command to the runner.
    enum Command: Sendable, Equatable {
        /// Run the operation of the entry.
        case run(Attempt)
        /// Wait for the delay after an attempt, and then call ``waitEnded(_:)``.
        case wait(after: Attempt)
        /// Cancel the attempt or the wait of a removed entry.
        case cancel(Attempt)
    }

    private enum Phase {
        /// The limit is reached.
        case queued
        /// Its effect waits for the log.
        case starting
        case running
        case waiting
    }

    /// The maximum number of concurrent attempts.
    let limit: Int
    private var entries: [Key: (attempt: Attempt, phase: Phase)] = [:]
    private var queue: [Attempt] = []
    /// The number of attempts that start or run, including running ones of removed entries: their operations can ignore
    /// that they are cancelled.
    private var running = 0
    private var lastID: UInt64 = 0

    init(limit: Int) { self.limit = max(limit, 1) }

    /// Updates the current entries.
    mutating func update(_ keys: some Collection<Key>) -> [Command] {
        var commands: [Command] = []
        if !entries.isEmpty {
            let present = Set(keys)
            for (key, entry) in entries where !present.contains(key) {
                entries[key] = nil
                switch entry.phase {
                case .queued: continue
                case .starting: running -= 1
                case .running, .waiting: break
                }
                commands.append(.cancel(entry.attempt))
            }
        }
        removeStale()
        for key in keys where entries[key] == nil { enqueue(key, 1) }
        return commands + takeQueued()
    }

    /// Begins the operation of an attempt, whose end must be recorded.
    ///
    /// - Returns: Whether the entry still exists. Otherwise nothing has begun.
    mutating func begin(_ attempt: Attempt) -> Bool {
        guard isCurrent(attempt, .starting) else { return false }
        entries[attempt.key]?.phase = .running
        return true
    }

    /// Records the end of an attempt that has begun, successful or not.
    ///
    /// - Parameter remains: Whether the entry still exists, so that another attempt must follow.
    mutating func attemptEnded(_ attempt: Attempt, remains: Bool) -> [Command] {
        running -= 1
        guard isCurrent(attempt, .running) else { return takeQueued() }
        guard remains else {
            entries[attempt.key] = nil
            return takeQueued()
        }
        entries[attempt.key]?.phase = .waiting
        return [.wait(after: attempt)] + takeQueued()
    }

    /// Records that the delay after an attempt has passed.
    mutating func waitEnded(_ attempt: Attempt) -> [Command] {
        guard isCurrent(attempt, .waiting) else { return [] }
        enqueue(attempt.key, attempt.number == .max ? .max : attempt.number + 1)
        return takeQueued()
    }

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

    /// The number of queued attempts, including those whose entries were removed.
    var queued: Int { queue.count }

    /// Removes the attempts of removed entries from the queue when they are the majority, so that attempts that never
    /// end do not retain them.
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
            entries[attempt.key]?.phase = .starting
            running += 1
            commands.append(.run(attempt))
        }
        queue.removeFirst(taken)
        return commands
    }
}
