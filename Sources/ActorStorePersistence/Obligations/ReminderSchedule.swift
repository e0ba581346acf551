/// The reminders that were sent, and the next one: a plain value.
struct ReminderSchedule<Key: Hashable & Sendable, Instant: InstantProtocol>: Sendable
where Instant.Duration == Duration {
    /// The current entries.
    private(set) var times: [Key: Instant] = [:]
    /// The sent reminders whose entries still exist, with their times.
    private var sent: [Key: Instant] = [:]
    /// The refused reminders whose entries are unchanged.
    private var refused: [Key: Refusal] = [:]

    private struct Refusal {
        /// The time of the entry.
        let time: Instant
        /// The number of refusals.
        let count: Int
        /// The time of the next attempt.
        let next: Instant
    }

    /// The next steps for the current times.
    struct Plan: Equatable {
        /// The due entries, in the order of their times.
        var due: [Key] = []
        /// The next time; nil if there is no other time.
        var next: Instant?
    }

    /// Records each change of the entries, in order: one that is removed and added again is another one.
    mutating func note(_ times: [Key: Instant]) {
        self.times = times
        sent = sent.filter { times[$0.key] == $0.value }
        refused = refused.filter { times[$0.key] == $0.value.time }
    }

    /// Returns the next steps for the current entries.
    func plan(at now: Instant) -> Plan {
        var (plan, due): (Plan, [(key: Key, time: Instant)]) = (Plan(), [])
        // A time that does not equal itself, such as a date that is not a number, never comes. Such a key is not found.
        for (key, time) in times where times[key] == time && sent[key] != time {
            let next = refused[key]?.next ?? time
            if next <= now { due.append((key, time)) } else { plan.next = min(plan.next ?? next, next) }
        }
        plan.due = due.sorted { $0.time < $1.time }.map(\.key)
        return plan
    }

    /// Records that the reminder of an entry is sent.
    ///
    /// - Returns: False if the entry does not have this time any more. Nothing is recorded then.
    mutating func noteSent(_ key: Key, for time: Instant) -> Bool {
        guard times[key] == time else { return false }
        sent[key] = time
        return true
    }

    /// Records that the reminder was not sent after all.
    mutating func noteUnsent(_ key: Key) { sent[key] = nil }

    /// Records that the reminder was refused, and must be sent again: after a second, and after twice the delay each
    /// time, up to a minute. The others do not wait for it.
    mutating func noteRefused(_ key: Key, at now: Instant) {
        guard let time = sent.removeValue(forKey: key) else { return }
        let former = refused[key].map { $0.time == time ? $0.count : 0 } ?? 0
        let delay = min(1 << min(former, 6), 60)
        refused[key] = Refusal(time: time, count: former + 1, next: now.advanced(by: .seconds(delay)))
    }
}
