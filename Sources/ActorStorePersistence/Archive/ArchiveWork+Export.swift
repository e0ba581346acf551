extension ArchiveWork {
    private static let bytesPerStep = 1 << 20

    /// The maximum number of attempts of an export. It restarts if entries were deleted in favour of a newer snapshot
    /// before it could read them.
    private static let attempts = 10

    /// Returns whether a store can start from a snapshot.
    typealias IsUsable =
        @Sendable (ActionLogSnapshot, any ActionLogConnection) throws(ActionLogError) -> Bool

    func export(_ log: any ActionLog, to path: String, isUsable: IsUsable) throws(ActionLogError) -> UInt64 {
        try log.connect().readUndisturbed(attempts: Self.attempts) { (connection, status) throws(ActionLogError) in
            try export(log, status, by: connection, to: path, isUsable: isUsable)
        }
    }

    private func export(
        _ log: any ActionLog,
        _ status: ActionLogStatus,
        by connection: any ActionLogConnection,
        to path: String,
        isUsable: IsUsable
    ) throws(ActionLogError) -> UInt64 {
        let archive = try ArchiveFile(writing: path)
        var first = ArchiveLine(.log)
        first.format = ArchiveLine.format
        try archive.write(first)
        // A forged log can begin at 0.
        var position = max(status.first, 1) - 1
        var states: UInt64 = 0
        if position > 0 {
            states += 1
            let oldest = try oldestSnapshot(of: log, from: position, by: connection)
            try write(oldest, of: log, by: connection, to: archive)
            position = oldest.point.position
        }
        // A store may be unable to reduce the entries before this snapshot: after a change of the reducer, or a loss.
        let newest = try newestSnapshot(after: position, through: status.end.position, by: connection, isUsable)
        var count: UInt64 = 0
        while position < status.end.position {
            let entries = try connection.read(after: position, atMost: Self.bytesPerStep)
            guard !entries.isEmpty else {
                throw ActionLogError(
                    .damaged,
                    in: log.name,
                    at: position + 1,
                    "The log says that it ends at \(status.end.position), and does not have the entries up to there."
                )
            }
            for entry in entries {
                position += 1
                count += 1
                try archive.write(ArchiveLine(entry, at: position))
                if let newest, newest.point.position == position {
                    states += 1
                    try write(newest, of: log, by: connection, to: archive)
                }
            }
        }
        var last = ArchiveLine(.end)
        last.position = count
        last.number = states
        try archive.write(last)
        try archive.finish()
        return count
    }

    /// Returns the newest usable snapshot behind a position whose entry the log has; otherwise nil.
    private func newestSnapshot(
        after first: UInt64,
        through last: UInt64,
        by connection: any ActionLogConnection,
        _ isUsable: IsUsable
    ) throws(ActionLogError) -> ActionLogSnapshot? {
        for snapshot in try connection.snapshots() {
            let position = snapshot.point.position
            // A restore gives it the entry of the same position. It can be a snapshot of lost entries.
            guard position > first, position <= last,
                try connection.identity(at: position) == snapshot.point.identity,
                try isUsable(snapshot, connection)
            else { continue }
            return snapshot
        }
        return nil
    }

    /// Returns the oldest readable snapshot behind which all entries exist.
    private func oldestSnapshot(
        of log: any ActionLog,
        from position: UInt64,
        by connection: any ActionLogConnection
    ) throws(ActionLogError) -> ActionLogSnapshot {
        var snapshots = try connection.snapshots().filter { $0.point.position >= position }
        // A store starts from a newer one, too.
        while snapshots.count > 1, let oldest = snapshots.last, try !isReadable(oldest, by: connection) {
            snapshots.removeLast()
        }
        guard let snapshot = snapshots.last else {
            throw ActionLogError(
                .trimmed,
                in: log.name,
                at: position,
                "The entries up to here were deleted, and no snapshot contains their state."
            )
        }
        return snapshot
    }

    private func write(
        _ snapshot: ActionLogSnapshot,
        of log: any ActionLog,
        by connection: any ActionLogConnection,
        to archive: ArchiveFile
    ) throws(ActionLogError) {
        for number in 0..<max(snapshot.parts, 1) {
            // A forged log can contain a negative number of parts.
            guard snapshot.parts > 0, let part = try connection.part(number, of: snapshot) else {
                throw ActionLogError(
                    .damaged,
                    in: log.name,
                    at: snapshot.point.position,
                    "A part of the snapshot is missing."
                )
            }
            var line = ArchiveLine(number == 0 ? .account : .state)
            line.position = snapshot.point.position
            line.number = UInt64(number == 0 ? snapshot.parts : number)
            if number == 0 { line.header = snapshot.header }
            line.payload = part
            line.checksum = line.digest
            try archive.write(line)
        }
    }

    private func isReadable(
        _ snapshot: ActionLogSnapshot,
        by connection: any ActionLogConnection
    ) throws(ActionLogError) -> Bool {
        guard snapshot.parts > 0 else { return false }
        do throws(ActionLogError) {
            for number in 0..<snapshot.parts where try connection.part(number, of: snapshot) == nil { return false }
            return true
        } catch {
            guard error.code == .damaged else { throw error }
            return false
        }
    }
}
