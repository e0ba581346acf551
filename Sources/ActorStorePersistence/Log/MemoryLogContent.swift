import Foundation

/// The contents of a log and their operations. A plain value, and the reference for the guarantees of engines.
package struct MemoryLogContent {
    private let name: String
    package let identity = UUID()
    /// The current time, as measured for leases.
    package var now = Duration.zero
    /// The entries after ``trimmed``.
    package private(set) var entries: [ActionLogEntry] = []
    /// The last entry that was deleted in favour of a snapshot.
    package private(set) var trimmed = ActionLogPoint.start
    /// The number of the newest entry of each origin.
    package private(set) var numbers: [String: UInt64] = [:]
    /// The numbers of the newest entry of each origin at the last trimmed entry.
    private var trimmedNumbers: [String: UInt64] = [:]
    package private(set) var snapshots: [ActionLogSnapshot] = []
    package var parts: [UUID: [Int: Data]] = [:]
    /// The maximum number of bytes of entries and parts.
    package var room = Int.max
    private var leases: [String: (lease: ActionLogLease, end: Duration)] = [:]
    private var lastToken: UInt64 = 0
    private var reports: [String: (presence: ReplicaPresence, time: Duration)] = [:]

    package init(name: String) { self.name = name }

    package var end: ActionLogPoint {
        guard let last = entries.last else { return trimmed }
        return ActionLogPoint(position: trimmed.position + UInt64(entries.count), identity: last.identity)
    }

    package var status: ActionLogStatus { ActionLogStatus(identity: identity, first: trimmed.position + 1, end: end) }

    // MARK: Entries

    package func identity(at position: UInt64) throws(ActionLogError) -> ActionLogEntry.Identity? {
        if position == trimmed.position { return trimmed.identity }
        guard position > trimmed.position else { throw isTrimmed(position) }
        let offset = position - trimmed.position
        return offset <= entries.count ? entries[Int(offset) - 1].identity : nil
    }

    package func read(after position: UInt64, atMost bytes: Int) throws(ActionLogError) -> [ActionLogEntry] {
        guard position >= trimmed.position else { throw isTrimmed(position + 1) }
        var size = 0
        let offset = position - trimmed.position
        guard offset < entries.count else { return [] }
        return Array(
            entries[Int(offset)...].prefix { entry in
                defer { size += entry.size }
                return size == 0 || size + entry.size <= bytes
            }
        )
    }

    package mutating func append(_ new: [ActionLogEntry], if condition: AppendCondition) throws(ActionLogError)
        -> UInt64
    {
        if let lease = condition.lease, leases[lease.name]?.lease.token != lease.token {
            throw ActionLogError(.fenced, in: name, "Another holder has claimed the lease \"\(lease.name)\" since.")
        }
        try check(condition.place)
        var next = numbers
        for entry in new {
            let expected = (next[entry.identity.origin] ?? 0) + 1
            guard entry.identity.number == expected else {
                throw ActionLogError(
                    .unexpectedNumber,
                    in: name,
                    "Entry \(entry.identity.number) of \(entry.identity.origin) was appended where \(expected) is expected."
                )
            }
            next[entry.identity.origin] = expected
        }
        try checkRoom(for: new.reduce(0) { $0 + $1.size })
        defer {
            numbers = next
            entries += new
        }
        return end.position + 1
    }

    package func checkRoom(for bytes: Int) throws(ActionLogError) {
        guard room < .max else { return }
        let used =
            entries.reduce(0) { $0 + $1.size } + parts.values.reduce(0) { $0 + $1.values.reduce(0) { $0 + $1.count } }
        if used + bytes > room { throw ActionLogError(.full, in: name, "The log has no room for \(bytes) bytes.") }
    }

    private func check(_ place: AppendCondition.Place) throws(ActionLogError) {
        switch place {
        case .contains(let point): try check(contains: point)
        case .end(let point):
            try check(contains: point)
            guard point == end else {
                throw ActionLogError(
                    .unexpectedEnd,
                    in: name,
                    at: end.position,
                    "The log ends at \(end.position), but its writer expects \(point.position)."
                )
            }
        }
    }

    private func check(contains point: ActionLogPoint) throws(ActionLogError) {
        guard point != .start, try identity(at: point.position) != point.identity else { return }
        throw ActionLogError(
            .lostEntries,
            in: name,
            at: point.position,
            "The log has lost the entry that it had acknowledged at this position."
        )
    }

    private func isTrimmed(_ position: UInt64) -> ActionLogError {
        ActionLogError(
            .trimmed,
            in: name,
            at: position,
            "Entries up to \(trimmed.position) were deleted in favour of a snapshot."
        )
    }

    package mutating func trim(through position: UInt64) -> Bool {
        let last = min(position, end.position)
        guard last > trimmed.position else { return false }
        let count = Int(last - trimmed.position)
        trimmed = ActionLogPoint(position: last, identity: entries[count - 1].identity)
        for entry in entries[..<count] { trimmedNumbers[entry.identity.origin] = entry.identity.number }
        entries.removeFirst(count)
        for snapshot in snapshots where snapshot.point.position < last { parts[snapshot.id] = nil }
        snapshots.removeAll { $0.point.position < last }
        return false
    }

    package mutating func loseEnd(after position: UInt64) {
        guard position < end.position, position >= trimmed.position else { return }
        entries.removeLast(Int(end.position - position))
        snapshots.removeAll { $0.point.position > position }
        numbers = trimmedNumbers
        for entry in entries { numbers[entry.identity.origin] = entry.identity.number }
    }

    // MARK: Snapshots

    /// Loses the newest snapshot, but no entry.
    package mutating func loseNewestSnapshot() {
        if !snapshots.isEmpty { parts[snapshots.removeFirst().id] = nil }
    }

    package mutating func finish(_ snapshot: ActionLogSnapshot) throws(ActionLogError) -> Bool {
        do {
            try check(contains: snapshot.point)
        } catch {
            discard(snapshot)
            throw error
        }
        // The answer to an earlier call was lost. A newer snapshot may have followed, and the parts are still needed.
        if snapshots.contains(snapshot) { return true }
        if let newest = snapshots.first, newest.point.position >= snapshot.point.position {
            discard(snapshot)
            return false
        }
        let written = parts[snapshot.id, default: [:]].keys.count { $0 >= 0 && $0 < snapshot.parts }
        guard written == snapshot.parts else { throw snapshot.isIncomplete(in: name) }
        snapshots.insert(snapshot, at: 0)
        return true
    }

    package mutating func discard(_ snapshot: ActionLogSnapshot) {
        if !snapshots.contains(where: { $0.id == snapshot.id }) { parts[snapshot.id] = nil }
    }

    package mutating func discardUnfinished() -> Bool {
        let finished = Set(snapshots.map(\.id))
        parts = parts.filter { finished.contains($0.key) }
        return false
    }

    // MARK: Leases and replicas

    package mutating func claim(_ claim: LeaseClaim) throws(ActionLogError) -> ActionLogLease {
        if let token = claim.renewedToken {
            let lease = leases[claim.name]?.lease ?? ActionLogLease(name: claim.name, token: 0, holder: "")
            if lease.token == token { leases[claim.name]?.end = now + claim.duration }
            return lease
        }
        if let (lease, end) = leases[claim.name], now < end {
            if lease.holder != claim.holder { return lease }
            if !claim.isNew {
                leases[claim.name]?.end = now + claim.duration
                return lease
            }
        }
        let preceding = max(lastToken, claim.precedingToken)
        guard preceding < EntryHeader.greatestLease else {
            throw ActionLogError(.damaged, in: name, "The log has used up its tokens.")
        }
        lastToken = preceding + 1
        let lease = ActionLogLease(name: claim.name, token: lastToken, holder: claim.holder)
        leases[claim.name] = (lease, now + claim.duration)
        return lease
    }

    package mutating func release(_ lease: ActionLogLease) {
        // The token remains, so that the next lease fences later appends of this holder.
        if leases[lease.name]?.lease == lease { leases[lease.name]?.end = now }
    }

    package mutating func report(_ presence: ReplicaPresence) { reports[presence.origin] = (presence, now) }

    package func presences(since age: Duration) -> [ReplicaPresence] {
        reports.values.filter { now - $0.time <= age }.map(\.presence)
    }
}
