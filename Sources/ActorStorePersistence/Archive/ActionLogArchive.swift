import ActorStore
import Foundation

/// Archives of logs as text, with a line of JSON per entry. Keep them elsewhere, read them, or restore them to a log of
/// any engine.
///
/// ```swift
/// try await orders.export(to: "orders.jsonl")
/// try await ActionLogArchive.restore(from: "orders.jsonl", to: PostgresLog(server, stream: "orders"))
/// ```
public enum ActionLogArchive {
    /// Writes the contents of an archive to an empty log.
    ///
    /// The whole archive is checked before anything is written. The log is complete when this returns. If the process
    /// ends before, delete the log and repeat this: nothing else shows that a part is missing.
    ///
    /// - Parameters:
    ///   - archive: The path of a file that ``DurableStore/export(to:isolation:)`` has written.
    ///   - log: The log, which must be empty.
    ///   - isolation: The actor on which this runs; by default the caller's.
    /// - Returns: The number of entries.
    /// - Throws: ``ActionLogError``: ``ActionLogError/Code/notEmpty`` if the log is not empty;
    ///   ``ActionLogError/Code/damaged`` if the archive is damaged; ``ActionLogError/Code/unknownFormat`` if the file
    ///   is not an archive, or is of another version of this library; the errors of the log. If a part was already
    ///   written, delete the log before the next attempt.
    /// - Complexity: O(*n*), where *n* is the size of the archive.
    @discardableResult
    public static func restore(
        from archive: String,
        to log: some ActionLog,
        isolation: isolated (any Actor)? = #isolation
    ) async throws(ActionLogError) -> UInt64 {
        try await ArchiveWork().restore(from: archive, to: log)
    }
}

extension DurableStore {
    /// Writes the whole log to an archive; see ``ActionLogArchive``. The store continues meanwhile.
    ///
    /// - Parameters:
    ///   - path: The path of the archive. An existing archive is replaced when the new one is complete.
    ///   - isolation: The actor on which this runs; by default the caller's.
    /// - Returns: The number of entries, at least those of all actions that were accepted before.
    /// - Throws: ``ActionLogError`` if an entry cannot be read, or the archive cannot be written. A failed export
    ///   leaves no file. If the process is killed meanwhile, delete the file whose name begins with that of the
    ///   archive, and continues with a UUID.
    /// - Complexity: O(*n*), where *n* is the size of the log.
    @discardableResult
    public func export(to path: String, isolation: isolated (any Actor)? = #isolation) async throws -> UInt64 {
        try await commit()
        let snapshots = SnapshotCoding(coding: log.coding)
        return try await ArchiveWork().export(log.writer.log, to: path) { snapshot, connection throws(ActionLogError) in
            do throws(ActionLogError) {
                let _: LoggedState<State> = try snapshots.load(snapshot, by: connection)
                return true
            } catch {
                guard error.isOfUnreadableState else { throw error }
                return false
            }
        }
    }
}

/// Reads and writes archives on a separate thread.
private actor ArchiveWork {
    private static let bytesPerStep = 1 << 20
    private nonisolated let thread = BlockingThread(named: "ActorStorePersistence.archive")
    nonisolated var unownedExecutor: UnownedSerialExecutor { thread.asUnownedSerialExecutor() }

    // MARK: Export

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

    // MARK: Restoring

    func restore(from path: String, to log: any ActionLog) throws(ActionLogError) -> UInt64 {
        let connection = try log.connect()
        guard try connection.status().end == .start else {
            throw ActionLogError(.notEmpty, in: log.name, "The log is not empty. Restore to an empty log.")
        }
        // The first pass only checks the archive.
        try read(path) { (line) throws(ActionLogError) in
            let size = (line.header ?? "").utf8.count + line.payload.count
            guard line.kind == .entry, size > log.largestEntry else { return }
            throw ActionLogError(
                .tooLarge,
                in: log.name,
                at: line.position,
                "The archive has an entry of \(size) bytes, and the limit of the log is \(log.largestEntry)."
            )
        }
        var target = RestoredLog(connection: connection, log: log.name)
        try read(path) { (line) throws(ActionLogError) in try target.add(line) }
        try target.finish()
        return target.count
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

/// The order of the lines of a whole archive, behind the first one: a plain value.
private struct ArchiveOrder {
    private var entries: UInt64 = 0
    private var states: UInt64 = 0
    /// The position of the state or of the entry before the next line; 0 for an archive of a whole log.
    private var position: UInt64 = 0
    /// Whether the next line can begin a state: one at the beginning, and one behind each entry.
    private var mayHaveState = true
    /// The parts of the last state, if there was one.
    private var parts: (seen: UInt64, all: UInt64)?

    /// Records the next line.
    ///
    /// - Returns: The reason why the line cannot follow the lines before it; nil if it can.
    mutating func admit(_ line: ArchiveLine) -> String? {
        let isWhole = parts.map { $0.seen == $0.all } ?? true
        if line.kind != .state, !isWhole { return "Parts of the state before this are missing." }
        if line.kind == .end {
            // Version 2 does not have the number of states.
            let isComplete = line.position == entries && line.number ?? states == states
            return isComplete ? nil : "Lines before this are missing or repeated."
        }
        guard line.checksum == line.digest else { return "The checksum does not match." }
        switch line.kind {
        case .account:
            guard let count = line.number, let found = line.position, found < .max else {
                return "The line does not say which state it has."
            }
            guard mayHaveState, entries == 0 || found == position else {
                return "The line repeats a state, or has that of another position."
            }
            (parts, position, states, mayHaveState) = ((1, count), found, states + 1, false)
        case .state:
            guard let counted = parts, line.position == position else { return "The state has no beginning." }
            guard line.number == counted.seen, !isWhole else { return "The part of the state is out of order." }
            parts = (counted.seen + 1, counted.all)
        case .entry:
            guard let found = line.position, found < .max, found == position + 1 else {
                return "Entries before this are missing."
            }
            (entries, position, mayHaveState) = (entries + 1, found, true)
        case .log, .end: return "The line is the first one of another archive."
        }
        return nil
    }
}

/// The log that is being restored. All entries become those of one origin.
private struct RestoredLog {
    let connection: any ActionLogConnection
    let log: String
    private(set) var count: UInt64 = 0

    private let origin = "archive.\(String(UInt64.random(in: .min ... .max), radix: 36))"
    private var end = ActionLogPoint.start
    private var group: [ActionLogEntry] = []
    private var size = 0
    /// The snapshot that is being read: its header, its account, and its other parts.
    private var snapshot: (header: String, account: Data, parts: [Data])?

    init(connection: any ActionLogConnection, log: String) {
        self.connection = connection
        self.log = log
    }

    mutating func add(_ line: ArchiveLine) throws(ActionLogError) {
        switch line.kind {
        case .account:
            try finishSnapshot()
            snapshot = (line.header ?? "", line.payload, [])
        case .state: snapshot?.parts.append(line.payload)
        case .entry:
            try finishSnapshot()
            add(header: line.header ?? "", line.payload)
            count += 1
            if size >= 1 << 20 { try flush() }
        case .log, .end: break
        }
    }

    mutating func finish() throws(ActionLogError) {
        try finishSnapshot()
        try flush()
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

    /// Writes the snapshot that was read, if there was one. If no entry precedes it, a separate one is written first,
    /// because a snapshot needs a position.
    private mutating func finishSnapshot() throws(ActionLogError) {
        guard let (header, encoded, parts) = snapshot else { return }
        snapshot = nil
        let isBeforeEntries = end == .start && group.isEmpty
        if isBeforeEntries { add(header: try EntryHeader(.opening).text, Data()) }
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
        try connection.finish(restored)
        guard isBeforeEntries else { return }
        // Otherwise the log would appear to contain all actions of the state.
        while try connection.trim(through: end.position) {}
    }
}

extension ActionLogError {
    /// Whether a snapshot cannot be used because of what it contains.
    fileprivate var isOfUnreadableState: Bool {
        [.damaged, .undecodable, .unknownSchema, .unknownFormat].contains(code)
    }
}

extension ArchiveLine {
    fileprivate init(_ entry: ActionLogEntry, at position: UInt64) {
        self.init(.entry)
        self.position = position
        origin = entry.identity.origin
        number = entry.identity.number
        header = entry.header
        payload = entry.payload
        checksum = digest
    }

    /// The checksum of all other fields of the line, each preceded by its length.
    fileprivate var digest: UInt64 {
        var hash = FowlerNollVoHash()
        func add(_ bytes: some Collection<UInt8>) {
            hash.add(withUnsafeBytes(of: UInt64(bytes.count).littleEndian, Array.init))
            hash.add(bytes)
        }
        add(kind.rawValue.utf8)
        add("\(position ?? 0) \(number ?? 0)".utf8)
        add((origin ?? "").utf8)
        add((header ?? "").utf8)
        add(payload)
        return hash.value
    }
}
