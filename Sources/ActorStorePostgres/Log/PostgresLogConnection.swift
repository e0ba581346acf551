#if Postgres
    import ActorStorePersistence
    import Foundation

    /// A connection to a log in a database.
    final class PostgresLogConnection: ActionLogConnection {
        let client: PostgresClient
        let name: String
        /// The identity of the stream.
        let identity: UUID
        let settings: [String: String]
        private let schema: PostgresSchema
        private let acknowledgement: PostgresServer.Acknowledgement
        /// The channel on which connections that append notify the others. Each stream has its own.
        private let channel: String
        private var isListening = false
        /// The position up to which this connection has deleted entries.
        var deletedThrough: UInt64 = 0

        init(
            _ client: PostgresClient,
            name: String,
            _ schema: PostgresSchema,
            _ identity: UUID,
            _ acknowledgement: PostgresServer.Acknowledgement,
            _ settings: [String: String]
        ) {
            self.client = client
            self.name = name
            self.schema = schema
            self.identity = identity
            self.acknowledgement = acknowledgement
            self.settings = settings
            channel = "actor_store_\(identity.uuidString)"
        }

        var interruption: ActionLogInterruption {
            ActionLogInterruption { [interruption = client.interruption] in interruption.interrupt() }
        }

        // MARK: Calls

        /// Executes a statement on the server. After a collision with another transaction, retries up to three times.
        func perform(
            _ statement: PostgresStatement,
            _ parameters: [PostgresValue],
            then afterwards: PostgresStatement? = nil,
            _ laterParameters: [PostgresValue] = [],
            verifyingStandbys isVerified: Bool = false
        ) throws(ActionLogError) -> PostgresResult {
            let command = statement.command(in: schema, parameters)
            let later = afterwards?.command(in: schema, laterParameters)
            var tries = 0
            while true {
                do throws(PostgresFailure) {
                    return try client.perform([command], then: later, verifyingStandbys: isVerified)
                } catch {
                    tries += 1
                    guard error.isCollision, tries < 4 else { throw error.error(in: name) }
                }
            }
        }

        /// Reads values from an answer.
        func take<Value>(_ body: () throws(PostgresFailure) -> Value) throws(ActionLogError) -> Value {
            do throws(PostgresFailure) { return try body() } catch { throw error.error(in: name) }
        }

        func point(_ result: PostgresResult, _ row: Int, from column: Int) throws(PostgresFailure) -> ActionLogPoint {
            ActionLogPoint(
                position: try result.number(row, column),
                identity: try entryIdentity(result, row, from: column + 1)
            )
        }

        func entryIdentity(
            _ result: PostgresResult,
            _ row: Int,
            from column: Int
        ) throws(PostgresFailure) -> ActionLogEntry.Identity? {
            if result.isNull(row, column) { return nil }
            return ActionLogEntry.Identity(
                origin: try result.text(row, column),
                number: try result.number(row, column + 1)
            )
        }

        // MARK: Errors

        var isMissing: ActionLogError {
            ActionLogError(.disconnected, in: name, "The stream was deleted or replaced. Connect again.")
        }

        func isTrimmed(_ position: UInt64, through last: UInt64) -> ActionLogError {
            ActionLogError(
                .trimmed,
                in: name,
                at: position,
                "Entries up to \(last) were deleted in favour of a snapshot."
            )
        }

        func isLost(_ position: UInt64) -> ActionLogError {
            ActionLogError(
                .lostEntries,
                in: name,
                at: position,
                "The log has lost the entry that it had acknowledged at this position."
            )
        }

        // MARK: Entries

        func status() throws(ActionLogError) -> ActionLogStatus {
            let result = try perform(.status, [.uuid(identity)])
            guard result.count == 1 else { throw isMissing }
            return try take { () throws(PostgresFailure) in
                ActionLogStatus(
                    identity: try result.uuid(0, 0),
                    first: try result.number(0, 1) + 1,
                    end: try point(result, 0, from: 2)
                )
            }
        }

        func lastNumber(of origin: String) throws(ActionLogError) -> UInt64 {
            let result = try perform(.lastNumber, [.uuid(identity), .text(origin)])
            return try take { () throws(PostgresFailure) in result.count == 0 ? 0 : try result.number(0, 0) }
        }

        func identity(at position: UInt64) throws(ActionLogError) -> ActionLogEntry.Identity? {
            let result = try perform(.identity, [.uuid(identity), .number(clamping: position)])
            guard result.count == 1 else { throw isMissing }
            let trimmed = try take { () throws(PostgresFailure) in try result.number(0, 0) }
            guard position >= trimmed else { throw isTrimmed(position, through: trimmed) }
            return try take { () throws(PostgresFailure) in
                try entryIdentity(result, 0, from: position == trimmed ? 1 : 3)
            }
        }

        func read(after position: UInt64, atMost bytes: Int) throws(ActionLogError) -> [ActionLogEntry] {
            let size = Int64(min(max(bytes, 0), Self.readLimit))
            let result = try perform(.read, [.uuid(identity), .number(clamping: position), .number(size)])
            if result.count == 1, result.isNull(0, 0) {
                if result.isNull(0, 2) { throw isMissing }
                let trimmed = try take { () throws(PostgresFailure) in try result.number(0, 2) }
                throw isTrimmed(position + 1, through: trimmed)
            }
            var entries: [ActionLogEntry] = []
            entries.reserveCapacity(result.count)
            for row in 0..<result.count {
                let (place, entry) = try take { () throws(PostgresFailure) in
                    (
                        try result.number(row, 0),
                        ActionLogEntry(
                            ActionLogEntry.Identity(origin: try result.text(row, 1), number: try result.number(row, 2)),
                            header: try result.text(row, 3),
                            payload: try result.data(row, 4)
                        )
                    )
                }
                let expected = position &+ UInt64(row) &+ 1
                guard place == expected else {
                    throw ActionLogError(
                        .damaged,
                        in: name,
                        at: expected,
                        "The entry is missing, although later ones exist."
                    )
                }
                entries.append(entry)
            }
            return entries
        }

        /// The maximum number of bytes of one read. All of them are in the memory of the server and of this process.
        private static let readLimit = 256 << 20

        // MARK: Waiting

        func wait(after position: UInt64, for duration: Duration) throws(ActionLogError) {
            let now = ContinuousClock.now
            // Keeps the sum within the range of the clock.
            let deadline = now + min(duration, .seconds(86_400 * 365))
            if !isListening {
                // The channel's name consists of letters, digits, underscores and hyphens.
                try take { () throws(PostgresFailure) in
                    _ = try client.perform([PostgresCommand(text: "LISTEN \"\(channel)\"")])
                }
                isListening = true
            }
            while true {
                // Reset before the query: a later notification may be about entries that the answer does not contain.
                client.hasNotification = false
                let result = try perform(.end, [.uuid(identity)])
                guard result.count == 1 else { throw isMissing }
                let end = try take { () throws(PostgresFailure) in try result.number(0, 0) }
                if end > position { return }
                let now = ContinuousClock.now
                if now >= deadline { return }
                // Notifications can be lost: they are sent after the transaction, and its connection may end in
                // between.
                let check = min(deadline, now + .seconds(1))
                if try take({ () throws(PostgresFailure) in try client.waitForNotification(until: check) }) { return }
            }
        }

        // MARK: Appending

        func append(_ entries: [ActionLogEntry], if condition: AppendCondition) throws(ActionLogError) -> UInt64 {
            guard let first = entries.first, entries.allSatisfy({ $0.identity.origin == first.identity.origin }) else {
                throw ActionLogError(
                    .refused,
                    in: name,
                    "A group must have at least one entry, and all must be of one origin."
                )
            }
            let size = entries.reduce(0) { $0 + $1.size }
            guard size <= Self.groupLimit else {
                throw ActionLogError(
                    .tooLarge,
                    in: name,
                    "A group of \(size) bytes exceeds the limit of \(Self.groupLimit). Append smaller groups."
                )
            }
            let isGapless = zip(entries, entries.dropFirst()).allSatisfy { entry, next in
                entry.identity.number < .max && next.identity.number == entry.identity.number + 1
            }
            let (isAtEnd, point) =
                switch condition.place {
                case .end(let point): (true, point)
                case .contains(let point): (false, point)
                }
            // The notification is a separate transaction that is not awaited: a transaction that notifies holds a lock
            // of the whole server until it is on disk, so that appends of all streams would wait for each other.
            let result = try perform(
                .append,
                [
                    .uuid(identity), .text(first.identity.origin), .number(clamping: first.identity.number),
                    .flag(isGapless), .texts(entries.map(\.header)), .byteStrings(entries.map(\.payload)),
                    .flag(isAtEnd), .number(clamping: point.position), .text(orNull: point.identity?.origin),
                    point.identity.map { .number(clamping: $0.number) } ?? .null,
                    .text(orNull: condition.lease?.name), condition.lease.map { .number(clamping: $0.token) } ?? .null,
                    .flag(acknowledgement == .standby),
                ],
                then: .notify,
                [.text(channel)],
                verifyingStandbys: true
            )
            let (outcome, place) = try take { () throws(PostgresFailure) in
                (try result.text(0, 0), result.isNull(0, 1) ? 0 : try result.number(0, 1))
            }
            // Also of an entry that the log already had: its first append may have ended in the same way.
            guard client.waitsForStandbys || outcome == "unsafe" else {
                let reason = "The server no longer waits for standbys, so none may have acknowledged the entries."
                throw PostgresFailure.unreplicated(reason).error(in: name)
            }
            switch outcome {
            case "appended": return place
            case "fenced":
                throw ActionLogError(
                    .fenced,
                    in: name,
                    "Another holder has claimed the lease \"\(condition.lease?.name ?? "")\" since."
                )
            case "trimmed": throw isTrimmed(point.position, through: place)
            case "lost": throw isLost(point.position)
            case "later":
                throw ActionLogError(
                    .unexpectedEnd,
                    in: name,
                    at: place,
                    "The log ends at \(place), but its writer expects \(point.position)."
                )
            case "number":
                throw ActionLogError(
                    .unexpectedNumber,
                    in: name,
                    "Entry \(first.identity.number) of \(first.identity.origin) was appended where \(place) is expected, "
                        + "or the numbers of the group are not consecutive."
                )
            case "unsafe": throw PostgresFailure.withoutStandby.error(in: name)
            default: throw isMissing
            }
        }

        /// The maximum number of bytes of one append. The server holds several copies of them in memory.
        private static let groupLimit = 256 << 20
    }
#endif
