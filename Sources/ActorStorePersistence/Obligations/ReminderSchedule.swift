/// The reminders that were sent, and the next one: a plain value.
struct ReminderSchedule<Key: Hashable & Sendable, Instant: InstantProtocol>: Sendable {
    /// The sent reminders whose entries still exist, with their times.
    private var sent: [Key: Instant] = [:]

    /// The next steps for the current times.
    struct Plan: Equatable {
        /// The due entries, in the order of their times.
        var due: [Key] = []
        /// The next time; nil if there is no other time.
        var next: Instant?
    }

    /// Returns the next steps for the current times.
    mutating func plan(_ times: [Key: Instant], at now: Instant) -> Plan {
        sent = sent.filter { times[$0.key] == $0.value }
        var (plan, due): (Plan, [(key: Key, time: Instant)]) = (Plan(), [])
        for (key, time) in times where sent[key] != time {
            if time <= now { due.append((key, time)) } else { plan.next = min(plan.next ?? time, time) }
        }
        plan.due = due.sorted { $0.time < $1.time }.map(\.key)
        return plan
    }

    /// Records that the reminder of an entry was sent.
    mutating func noteSent(_ key: Key, for time: Instant) { sent[key] = time }

    /// Records that the reminder was refused, and must be sent again.
    mutating func noteRefused(_ key: Key) { sent[key] = nil }
}
