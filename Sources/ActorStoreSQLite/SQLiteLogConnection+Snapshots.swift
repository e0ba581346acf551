#if SQLite
    import ActorStorePersistence
    import Foundation

    extension SQLiteLogConnection {
        /// Whether the entry of a snapshot is in the log, or is the last one that was deleted behind it. Otherwise it
        /// is a snapshot of lost entries, from which stores cannot start, and which must not block new snapshots; or
        /// one that is being deleted.
        private static let isInPlace = """
            ((position, origin, number) = (SELECT trimmed, origin, number FROM log) OR EXISTS (SELECT 1 FROM entries \
            WHERE entries.position = snapshots.position AND entries.origin = snapshots.origin \
            AND entries.number = snapshots.number))
            """

        func snapshots() throws(ActionLogError) -> [ActionLogSnapshot] {
            try database.prepared(
                """
                SELECT id, position, origin, number, header, parts, checksum FROM snapshots WHERE \(Self.isInPlace)
                ORDER BY position DESC
                """
            ).all { row -> ActionLogSnapshot? in
                guard let id = UUID(row.data(at: 0)) else { return nil }
                let snapshot = ActionLogSnapshot(
                    at: ActionLogPoint(
                        position: row.number(at: 1),
                        identity: ActionLogEntry.Identity(origin: row.text(at: 2), number: row.number(at: 3))
                    ),
                    id: id,
                    header: row.text(at: 4),
                    parts: Int(clamping: row.integer(at: 5))
                )
                // A damaged snapshot is ignored.
                return row.integer(at: 6) == Int64(snapshot.checksum) ? snapshot : nil
            }.compactMap(\.self)
        }

        func part(_ number: Int, of snapshot: ActionLogSnapshot) throws(ActionLogError) -> Data? {
            let found = try database.prepared(
                "SELECT payload, checksum FROM parts WHERE snapshot = ? AND number = ?"
            ).first(.data(snapshot.id.data), .integer(Int64(number))) { ($0.data(at: 0), $0.integer(at: 1)) }
            guard let (part, checksum) = found else { return nil }
            guard checksum == Int64(snapshot.checksum(of: part, number)) else {
                throw ActionLogError(
                    .damaged,
                    in: log.name,
                    at: snapshot.point.position,
                    "A part of the snapshot is damaged."
                )
            }
            return part
        }

        func write(_ part: Data, _ number: Int, of snapshot: ActionLogSnapshot) throws(ActionLogError) {
            // The parts are of equal size, except the first and the last one.
            try checkRoom(for: Int64(number == 0 ? 1 : snapshot.parts - number) * Int64(part.count))
            try database.transaction { () throws(ActionLogError) in
                try database.prepared("INSERT OR REPLACE INTO parts VALUES (?, ?, ?, ?, ?)").run(
                    .data(snapshot.id.data),
                    .integer(Int64(number)),
                    .data(part),
                    .integer(Int64(snapshot.checksum(of: part, number))),
                    .integer(Int64(Date().timeIntervalSince1970))
                )
            }
            noteCommit(of: part.count)
        }

        /// Throws unless the disk has room for a number of bytes of a snapshot. One that fills the disk could not be
        /// deleted again, because that needs room as well, and the log could take no more entries.
        private func checkRoom(for bytes: Int64) throws(ActionLogError) {
            guard let free = freeRoom else { return }
            let pageSize = try database.integer("PRAGMA page_size") ?? 0
            let pages = try database.integer("PRAGMA page_count") ?? 0
            let freePages = try database.integer("PRAGMA freelist_count") ?? 0
            let room = SnapshotRoom(
                freePages: freePages * pageSize,
                missingPages: pages * pageSize - Inode.size(of: log.name),
                writeAheadLog: Inode.size(of: log.name + "-wal")
            )
            let needed = room.needed(for: bytes)
            guard Double(needed) > free else { return }
            throw ActionLogError(
                .full,
                in: log.name,
                """
                The rest of a snapshot needs \(needed) bytes, and the disk has \(UInt64(free)). The snapshot is given up, so \
                that actions can still be written. Free space on the disk.
                """
            )
        }

        /// The free space on the disk in bytes; nil if it is unknown.
        private var freeRoom: Double? {
            var disk = statvfs()
            guard statvfs(log.name, &disk) == 0 else { return nil }
            return Double(disk.f_bavail) * Double(disk.f_frsize)
        }

        /// Completes a checkpoint if the disk is almost full, so that a deletion uses the room of the write-ahead log
        /// again: SQLite overwrites what is deleted.
        private func reuseLog() {
            guard let free = freeRoom, free < Double(SnapshotRoom.reserve) else { return }
            completeCheckpoint()
        }

        func finish(_ snapshot: ActionLogSnapshot) throws(ActionLogError) -> Bool {
            do {
                let isTaken = try database.transaction { () throws(ActionLogError) in
                    try check(contains: snapshot.point)
                    // A damaged one must not block new ones.
                    let newest = try snapshots().first
                    // The answer to an earlier call was lost.
                    if newest == snapshot { return true }
                    guard snapshot.point.position > newest?.point.position ?? 0, let entry = snapshot.point.identity
                    else { return false }
                    guard try hasAllParts(snapshot) else { throw snapshot.isIncomplete(in: log.name) }
                    try database.prepared("INSERT INTO snapshots VALUES (?, ?, ?, ?, ?, ?, ?)").run(
                        .data(snapshot.id.data),
                        .number(snapshot.point.position),
                        .text(entry.origin),
                        .number(entry.number),
                        .text(snapshot.header),
                        .integer(Int64(snapshot.parts)),
                        .integer(Int64(snapshot.checksum))
                    )
                    return true
                }
                if !isTaken { try? discard(snapshot) }
                return isTaken
            } catch  where [.lostEntries, .trimmed].contains(error.code) {
                try? discard(snapshot)
                throw error
            }
        }

        private func hasAllParts(_ snapshot: ActionLogSnapshot) throws(ActionLogError) -> Bool {
            let count = try database.prepared(
                "SELECT count(*) FROM parts WHERE snapshot = ? AND number >= 0 AND number < ?"
            ).first(.data(snapshot.id.data), .integer(Int64(snapshot.parts))) { $0.integer(at: 0) }
            return count == Int64(snapshot.parts)
        }

        func discard(_ snapshot: ActionLogSnapshot) throws(ActionLogError) {
            // In steps, between which a checkpoint can make room in the write-ahead log.
            while let bytes = try discardParts(of: snapshot) {
                noteCommit(of: bytes)
                // Other connections retry at intervals, and would rarely find the file unlocked between two steps.
                Thread.sleep(forTimeInterval: 0.001)
            }
        }

        /// Deletes some parts of a snapshot, unless that is finished: other connections may be reading it.
        ///
        /// - Returns: The number of their bytes; nil if it has no part to delete.
        private func discardParts(of snapshot: ActionLogSnapshot) throws(ActionLogError) -> Int? {
            reuseLog()
            return try database.transaction { () throws(ActionLogError) in
                let parts: [StoredPart] = try database.prepared(
                    """
                    SELECT rowid, length(payload) FROM parts
                    WHERE snapshot = ?1 AND NOT EXISTS (SELECT 1 FROM snapshots WHERE id = ?1) LIMIT ?2
                    """
                ).all(.data(snapshot.id.data), .integer(Self.partsPerTrim)) {
                    ($0.integer(at: 0), Int($0.integer(at: 1)))
                }
                return try delete(parts)
            }
        }

        /// The row of a part, and the number of its bytes.
        private typealias StoredPart = (row: Int64, bytes: Int)

        /// Deletes parts, within a transaction.
        ///
        /// - Returns: The number of their bytes; nil without a part.
        private func delete(_ parts: [StoredPart]) throws(ActionLogError) -> Int? {
            for part in parts { try database.prepared("DELETE FROM parts WHERE rowid = ?").run(.integer(part.row)) }
            return parts.isEmpty ? nil : parts.reduce(0) { $0 + $1.bytes }
        }

        func discardUnfinished() throws(ActionLogError) -> Bool {
            reuseLog()
            let bytes = try database.transaction { () throws(ActionLogError) in
                try deleteParts(ofSnapshotsBefore: 0, orWrittenBefore: .max)
            }
            noteCommit(of: bytes ?? 0)
            return bytes != nil
        }

        // MARK: Trimming

        /// The number of entries, or of parts of snapshots, that one call deletes. A concurrent commit waits no longer
        /// than for another commit.
        private static let entriesPerTrim: Int64 = 1_000
        private static let bytesPerTrim: Int64 = 16 << 20
        private static let partsPerTrim: Int64 = 4

        func trim(through position: UInt64) throws(ActionLogError) -> Bool {
            reuseLog()
            let (bytes, isDone) = try database.transaction { () throws(ActionLogError) in
                if let bytes = try deleteEntries(through: position) { return (bytes, false) }
                let bytes = try deleteObsoleteSnapshots(before: position)
                return (bytes ?? 0, bytes == nil)
            }
            noteCommit(of: bytes)
            return if isDone { try releaseRoom() } else { true }
        }

        /// Deletes some of the entries up to a position.
        ///
        /// - Returns: The number of their bytes; nil if no more are left.
        private func deleteEntries(through position: UInt64) throws(ActionLogError) -> Int? {
            let (trimmed, end) = (try trimmed(), try end())
            let limit = min(position, end.position)
            let (last, bytes) = try lastOfDeletion(after: trimmed.position, through: limit)
            guard last > trimmed.position, let identity = try currentIdentity(at: last) else { return nil }
            try database.prepared("UPDATE log SET trimmed = ?, origin = ?, number = ?").run(
                .number(last),
                .text(identity.origin),
                .number(identity.number)
            )
            try database.prepared("DELETE FROM entries WHERE position <= ?").run(.number(last))
            return bytes
        }

        /// Returns the last position to delete, and the number of bytes up to there: SQLite visits each page of a large
        /// entry.
        private func lastOfDeletion(
            after trimmed: UInt64,
            through limit: UInt64
        ) throws(ActionLogError) -> (position: UInt64, bytes: Int) {
            guard limit > trimmed else { return (trimmed, 0) }
            let rows = try database.prepared(
                """
                SELECT position, length(CAST(header AS BLOB)) + length(payload) FROM entries
                WHERE position > ? AND position <= ? ORDER BY position LIMIT ?
                """
            ).all(.number(trimmed), .number(limit), .integer(Self.entriesPerTrim)) { row in
                (position: row.number(at: 0), size: row.integer(at: 1))
            }
            var (last, total) = (trimmed, Int64(0))
            for row in rows {
                if last > trimmed, total + row.size > Self.bytesPerTrim { break }
                total += row.size
                last = row.position
            }
            return (last, Int(total))
        }

        /// Deletes snapshots before a position, and unfinished ones that are a day old.
        ///
        /// - Returns: The number of bytes of the deleted parts; nil if no more are left.
        private func deleteObsoleteSnapshots(before position: UInt64) throws(ActionLogError) -> Int? {
            let last = min(position, try end().position)
            let yesterday = Int64(Date().timeIntervalSince1970) - 86_400
            let bytes = try deleteParts(ofSnapshotsBefore: last, orWrittenBefore: yesterday)
            if bytes == nil { try database.prepared("DELETE FROM snapshots WHERE position < ?").run(.number(last)) }
            return bytes
        }

        /// Deletes some parts of snapshots before a position, and of unfinished ones before a time.
        ///
        /// Commits wait for this, so it reads at most one part of each snapshot that it keeps.
        ///
        /// - Parameter time: The time of the last write to an unfinished snapshot, in seconds since 1970.
        /// - Returns: The number of their bytes; nil if no more are left.
        private func deleteParts(
            ofSnapshotsBefore position: UInt64,
            orWrittenBefore time: Int64
        ) throws(ActionLogError) -> Int? {
            let obsolete: [StoredPart] = try database.prepared(
                """
                WITH RECURSIVE ids(id) AS (
                    SELECT min(snapshot) FROM parts
                    UNION ALL SELECT (SELECT min(snapshot) FROM parts WHERE snapshot > ids.id) FROM ids
                    WHERE ids.id IS NOT NULL
                )
                SELECT parts.rowid, length(parts.payload) FROM ids LEFT JOIN snapshots ON snapshots.id = ids.id
                CROSS JOIN parts ON parts.snapshot = ids.id
                WHERE snapshots.position < ? OR (
                    snapshots.id IS NULL
                        AND (SELECT time FROM parts WHERE snapshot = ids.id ORDER BY number DESC LIMIT 1) < ?
                ) LIMIT ?
                """
            ).all(.number(position), .integer(time), .integer(Self.partsPerTrim)) {
                ($0.integer(at: 0), Int($0.integer(at: 1)))
            }
            return try delete(obsolete)
        }

        /// Returns some free space of the file to the system, if there is much.
        ///
        /// - Returns: Whether there is more.
        private func releaseRoom() throws(ActionLogError) -> Bool {
            let free = try database.integer("PRAGMA freelist_count") ?? 0
            guard free > 1_024 else { return false }
            try database.execute("PRAGMA incremental_vacuum(256)")
            // It moves as many pages.
            noteCommit(of: 1 << 20)
            // A vacuum frees nothing if another program has rewritten the file without incremental vacuum.
            return try database.integer("PRAGMA freelist_count") ?? 0 < free
        }
    }

    extension ActionLogSnapshot {
        /// The checksum of everything that is stored of the snapshot besides its parts.
        fileprivate var checksum: UInt32 {
            var checksum = Checksum()
            checksum.add(id.data)
            checksum.add(point.position)
            checksum.add(point.identity?.origin ?? "")
            checksum.add(point.identity?.number ?? 0)
            checksum.add(header)
            checksum.add(parts)
            return checksum.value
        }

        fileprivate func checksum(of part: Data, _ number: Int) -> UInt32 {
            var checksum = Checksum()
            checksum.add(id.data)
            checksum.add(number)
            checksum.add(part)
            return checksum.value
        }
    }
#endif
