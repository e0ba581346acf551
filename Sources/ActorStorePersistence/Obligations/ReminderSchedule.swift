/// Which reminders have been sent, and which is the next: a plain value.
struct ReminderSchedule<Key: Hashable & Sendable, Instant: InstantProtocol>: Sendable {
    /// Those that were sent and are still in the state, with the times for which they were.
    private var sent: [Key: Instant] = [:]

    /// What is to be done about the times that there are now.
    struct Plan: Equatable {
        /// What is due, in the order of the times.
        var due: [Key] = []
        /// When there is something to be done again; nil if there is nothing.
        var next: Instant?
    }

    /// Looks at the times that there are now.
    mutating func plan(_ times: [Key: Instant], at now: Instant) -> Plan {
        sent = sent.filter { times[$0.key] == $0.value }
        var (plan, due): (Plan, [(key: Key, time: Instant)]) = (Plan(), [])
        for (key, time) in times where sent[key] != time {
            if time <= now { due.append((key, time)) } else { plan.next = min(plan.next ?? time, time) }
        }
        plan.due = due.sorted { $0.time < $1.time }.map(\.key)
        return plan
    }

    /// The reminder of an entry has been sent.
    mutating func noteSent(_ key: Key, for time: Instant) { sent[key] = time }

    /// It was refused, and is to be sent again.
    mutating func noteRefused(_ key: Key) { sent[key] = nil }
}
