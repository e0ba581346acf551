import Foundation

extension ArchiveWork {
    func restore(from path: String, to log: any ActionLog) throws(ActionLogError) -> UInt64 {
        // The first pass only checks the archive.
        var content = ArchiveContent()
        try read(path) { (line) throws(ActionLogError) in
            content.note(line)
            let size = (line.header ?? "").utf8.count + line.payload.count
            guard line.kind == .entry, size > log.largestEntry else { return }
            throw ActionLogError(
                .tooLarge,
                in: log.name,
                at: line.position,
                "The archive has an entry of \(size) bytes, and the limit of the log is \(log.largestEntry)."
            )
        }
        let connection = try log.connect()
        let notEmpty = ActionLogError(.notEmpty, in: log.name, "The log is not empty. Restore to an empty log.")
        guard try connection.status().end == .start else { throw notEmpty }
        var target: RestoredLog
        do throws(ActionLogError) {
            target = try RestoredLog(connection: connection, log: log.name, hasState: content.hasState)
        } catch {
            // A store has opened the log meanwhile.
            throw error.code == .unexpectedEnd ? notEmpty : error
        }
        try read(path) { (line) throws(ActionLogError) in try target.add(line) }
        guard target.content == content else {
            throw ActionLogError(
                .damaged,
                in: path,
                "The archive was replaced while it was read. Delete the log, and restore again."
            )
        }
        try target.finish()
        return content.entries
    }

    private func read(
        _ path: String,
        _ body: (ArchiveLine) throws(ActionLogError) -> Void
    ) throws(ActionLogError) {
        let archive = try ArchiveFile(reading: path)
        guard let first = try firstLine(of: archive), first.kind == .log else {
            throw ActionLogError(.unknownFormat, in: path, "The file is not an archive of a log.")
        }
        guard let format = first.format, ArchiveLine.readableFormats.contains(format) else {
            throw ActionLogError(
                .unknownFormat,
                in: path,
                "The archive is of another version of this library. Use that version."
            )
        }
        var order = ArchiveOrder()
        var number = 2
        while let line = try archive.readLine(number) {
            if let reason = order.admit(line) { throw damage(path, number, reason) }
            number += 1
            if line.kind != .end {
                try body(line)
            } else if try archive.readLine(number) == nil {
                return
            } else {
                throw damage(path, number, "The archive ends before this.")
            }
        }
        throw damage(path, number, "The archive is truncated.")
    }

    /// Returns the first line; nil if it is not one of an archive.
    private func firstLine(of archive: ArchiveFile) throws(ActionLogError) -> ArchiveLine? {
        do throws(ActionLogError) {
            return try archive.readLine(1)
        } catch {
            guard error.code == .damaged else { throw error }
            return nil
        }
    }

    private func damage(_ path: String, _ line: Int, _ reason: String) -> ActionLogError {
        ActionLogError(.damaged, in: path, "Line \(line) of the archive: \(reason)")
    }
}

/// What is known of the contents of an archive.
private struct ArchiveContent: Equatable {
    var entries: UInt64 = 0
    /// Whether the archive begins with a state.
    var hasState = false

    /// Records the next line.
    mutating func note(_ line: ArchiveLine) {
        switch line.kind {
        case .account: if entries == 0 { hasState = true }
        case .entry: entries += 1
        case .log, .state, .end: break
        }
    }
}

/// The log that is being restored. All entries become those of one origin, between a first entry that describes the
/// archive, and a last one, which is appended when everything else is written: a log without it is not opened.
private struct RestoredLog {
    let connection: any ActionLogConnection
    let log: String
    /// What was read so far.
    private(set) var content = ArchiveContent()

    private let origin = EntryHeader.Archive.makeOrigin()
    private var end = ActionLogPoint.start
    private var group: [ActionLogEntry] = []
    private var size = 0
    /// The snapshot that is being read: its header, its account, and its other parts.
    private var snapshot: (header: String, account: Data, parts: [Data])?
    /// The snapshots that were read, and are to be finished.
    private var snapshots: [ActionLogSnapshot] = []

    init(
        connection: any ActionLogConnection,
        log: String,
        hasState: Bool
    ) throws(ActionLogError) {
        self.connection = connection
        self.log = log
        try mark(hasState ? .beginningWithState : .beginning)
    }

    /// Appends the first or the last entry.
    private mutating func mark(_ part: EntryHeader.Archive.Part) throws(ActionLogError) {
        add(header: try EntryHeader(of: EntryHeader.Archive(origin: origin, part: part)).text, Data())
        try flush()
    }

    mutating func add(_ line: ArchiveLine) throws(ActionLogError) {
        content.note(line)
        switch line.kind {
        case .account:
            try writeSnapshot()
            snapshot = (line.header ?? "", line.payload, [])
        case .state: snapshot?.parts.append(line.payload)
        case .entry:
            try writeSnapshot()
            add(header: line.header ?? "", line.payload)
            if size >= 1 << 20 { try flush() }
        case .log, .end: break
        }
    }

    mutating func finish() throws(ActionLogError) {
        try writeSnapshot()
        try flush()
        for snapshot in snapshots { try connection.finish(snapshot) }
        // Otherwise the log would appear to contain all actions of the state before its entries.
        if content.hasState { while try connection.trim(through: 1) {} }
        try mark(.end)
    }

    private mutating func add(header: String, _ payload: Data) {
        let number = (end.identity?.number ?? 0) + UInt64(group.count) + 1
        let entry = ActionLogEntry(
            ActionLogEntry.Identity(origin: origin, number: number),
            header: header,
            payload: payload
        )
        size += entry.size
        group.append(entry)
    }

    private mutating func flush() throws(ActionLogError) {
        guard let last = group.last else { return }
        try connection.append(group, if: AppendCondition(.end(end)))
        end = ActionLogPoint(position: end.position + UInt64(group.count), identity: last.identity)
        (group, size) = ([], 0)
    }

    /// Writes the parts of the snapshot that was read, if there was one.
    private mutating func writeSnapshot() throws(ActionLogError) {
        guard let (header, encoded, parts) = snapshot else { return }
        snapshot = nil
        try flush()
        let payloads: [Data]
        do {
            var account = try JSONDecoder().decode(LogAccount.self, from: encoded)
            account.begin(behind: end)
            payloads = [try JSONEncoder().encode(account)] + parts
        } catch {
            throw ActionLogError(.damaged, in: log, "The snapshot of the archive cannot be read: \(error)")
        }
        let restored = ActionLogSnapshot(at: end, header: header, parts: payloads.count)
        for (number, payload) in payloads.enumerated() { try connection.write(payload, number, of: restored) }
        snapshots.append(restored)
    }
}
