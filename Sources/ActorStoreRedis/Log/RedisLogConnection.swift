#if Redis
    import ActorStorePersistence
    import Foundation

    /// A connection to one log. It implements the protocol with scripts.
    final class RedisLogConnection: ActionLogConnection {
        let connection: RedisConnection
        let keys: RedisLogKeys
        private let acknowledgement: RedisAcknowledgement
        let settings: [String: String]
        /// Whether the server can wait until its replicas have a group on their disks.
        private let canWaitForDisks: Bool
        /// The last position that enough replicas of the server are known to have.
        private var confirmedPosition: UInt64 = 0
        /// The identity of the log at the time of the connection. Every script compares it, and refuses another log.
        private(set) var identity = UUID()
        /// The digests under which the server keeps scripts.
        private var digests: [String: String] = [:]

        init(
            _ connection: RedisConnection,
            _ keys: RedisLogKeys,
            _ acknowledgement: RedisAcknowledgement,
            _ settings: RedisSettings
        ) throws(ActionLogError) {
            self.connection = connection
            self.keys = keys
            self.acknowledgement = acknowledgement
            self.settings = settings.values
            canWaitForDisks = settings.isAtLeast(7, 2)
            let found = try run(.create, keys.common).first?.string ?? ""
            guard let identity = UUID(uuidString: found) else { throw refusal("fields", []) }
            self.identity = identity
        }

        var interruption: ActionLogInterruption {
            ActionLogInterruption { [interruption = connection.interruption] in interruption.interrupt() }
        }

        // MARK: Scripts

        /// An argument of a script.
        enum Argument {
            case text(String)
            case bytes(Data)

            static func number(_ number: UInt64) -> Argument { .text(String(number)) }
        }

        /// Runs a script.
        ///
        /// - Returns: The elements of the answer after `ok`.
        func run(_ script: RedisScript, _ keys: [String], _ arguments: [Argument] = []) throws(ActionLogError)
            -> [RedisReply]
        {
            let answer = try connection.exchange(command("EVALSHA", try digest(of: script), keys, arguments))
            return try elements(of: answer, script, keys, arguments)
        }

        /// Returns the elements of a script's answer after `ok`.
        private func elements(
            of answer: RedisReply,
            _ script: RedisScript,
            _ keys: [String],
            _ arguments: [Argument]
        ) throws(ActionLogError) -> [RedisReply] {
            var answer = answer
            // The server has dropped its scripts, and has not run this one.
            if case .error(let text) = answer, text.hasPrefix("NOSCRIPT") {
                answer = try connection.exchange(command("EVAL", script.text, keys, arguments))
            }
            if case .error(let text) = answer { throw .refusal(text, in: connection.name) }
            guard let elements = answer.elements, let kind = elements.first?.string else {
                throw refusal("nothing", [])
            }
            if kind == "ok" { return Array(elements.dropFirst()) }
            throw refusal(kind, elements.dropFirst().map { $0.string ?? "" })
        }

        private func digest(of script: RedisScript) throws(ActionLogError) -> String {
            if let digest = digests[script.text] { return digest }
            let digest = try connection.perform(RedisCommand("SCRIPT", "LOAD", script.text)).string ?? ""
            digests[script.text] = digest
            return digest
        }

        private func command(_ name: String, _ script: String, _ keys: [String], _ arguments: [Argument])
            -> RedisCommand
        {
            var command = RedisCommand(name, script, "\(keys.count)")
            for key in keys { command.append(key) }
            command.append(identity.uuidString)
            for argument in arguments {
                switch argument {
                case .text(let text): command.append(text)
                case .bytes(let bytes): command.append(bytes)
                }
            }
            return command
        }

        func refusal(_ kind: String, _ details: [String]) -> ActionLogError {
            ScriptRefusal(kind: kind, details: details, keys: keys).error(in: connection.name)
        }

        // MARK: Entries

        func status() throws(ActionLogError) -> ActionLogStatus {
            let answer = try run(.status, keys.common)
            guard answer.count == 4, let first = answer[0].number, let last = answer[1].number,
                let origin = answer[2].string
            else { throw refusal("fields", []) }
            let end = answer[3].number.map {
                ActionLogPoint(position: last, identity: ActionLogEntry.Identity(origin: origin, number: $0))
            }
            guard last == 0 || end != nil else { throw refusal("fields", []) }
            try confirm(through: last)
            return ActionLogStatus(identity: identity, first: first, end: end ?? .start)
        }

        func lastNumber(of origin: String) throws(ActionLogError) -> UInt64 {
            guard let number = try run(.lastNumber, keys.common, [.text(origin)]).first?.number else {
                throw refusal("origins", [])
            }
            return number
        }

        func identity(at position: UInt64) throws(ActionLogError) -> ActionLogEntry.Identity? {
            let answer = try run(.identity, keys.common, [.number(position)])
            guard let origin = answer.first?.string else { return nil }
            guard answer.count == 2, let number = answer[1].number else { throw refusal("gap", ["\(position)"]) }
            return ActionLogEntry.Identity(origin: origin, number: number)
        }

        func append(_ entries: [ActionLogEntry], if condition: AppendCondition) throws(ActionLogError) -> UInt64 {
            guard let first = entries.first?.identity, let last = entries.last?.identity else {
                throw ActionLogError(.refused, in: connection.name, "A group must have at least one entry.")
            }
            try check(entries)
            let (mode, point) =
                switch condition.place {
                case .end(let point): ("end", point)
                case .contains(let point): ("contains", point)
                }
            var arguments: [Argument] = [.text(mode)] + Self.arguments(of: point)
            arguments += [.text(condition.lease?.name ?? ""), .text(condition.lease.map { "\($0.token)" } ?? "")]
            arguments += [.text(first.origin), .number(first.number)]
            for entry in entries { arguments += [.text(entry.header), .bytes(entry.payload)] }
            let position: UInt64
            do throws(ActionLogError) {
                guard let number = try run(.append, keys.common + [keys.leases], arguments).first?.number else {
                    throw refusal("nothing", [])
                }
                position = number
            } catch {
                if error.code == .unexpectedNumber { try confirmRepeat(of: last) }
                throw error
            }
            try awaitReplicas()
            confirmedPosition = position + UInt64(entries.count) - 1
            return position
        }

        private func check(_ entries: [ActionLogEntry]) throws(ActionLogError) {
            func failure(_ code: ActionLogError.Code, _ reason: String) -> ActionLogError {
                ActionLogError(code, in: connection.name, reason)
            }
            guard entries.count <= RedisLimits.largestCount else {
                throw failure(
                    .tooLarge,
                    "A group of \(entries.count) entries exceeds the limit of \(RedisLimits.largestCount)."
                )
            }
            var size = 0
            var previous: ActionLogEntry.Identity?
            for entry in entries {
                let identity = entry.identity
                guard identity.number > 0, identity.number <= RedisLimits.largestNumber else {
                    throw failure(
                        .unexpectedNumber,
                        "The number \(identity.number) of an entry is not in the range from 1 to 2^53 - 1."
                    )
                }
                if let previous {
                    guard identity.origin == previous.origin else {
                        throw failure(.refused, "All entries of a group must be of one origin.")
                    }
                    guard identity.number == previous.number + 1 else {
                        throw failure(
                            .unexpectedNumber,
                            "Entry \(identity.number) of \(identity.origin) was appended where \(previous.number + 1) is "
                                + "expected."
                        )
                    }
                }
                previous = identity
                guard entry.size <= RedisLimits.largestValue else {
                    throw failure(
                        .tooLarge,
                        "Entry \(identity.number) of \(identity.origin) has \(entry.size) bytes. The limit is "
                            + "\(RedisLimits.largestValue)."
                    )
                }
                size += entry.size
            }
            guard size <= RedisLimits.largestGroup else {
                throw failure(.tooLarge, "A group of \(size) bytes exceeds the limit of \(RedisLimits.largestGroup).")
            }
        }

        /// Returns the position, origin and number of a point. The start has no number.
        static func arguments(of point: ActionLogPoint) -> [Argument] {
            [
                .number(point.position), .text(point.identity?.origin ?? ""),
                .text(point.identity.map { "\($0.number)" } ?? ""),
            ]
        }

        func read(after position: UInt64, atMost bytes: Int) throws(ActionLogError) -> [ActionLogEntry] {
            let fields = try run(.read, keys.common, Self.arguments(after: position, atMost: bytes))
            return try entries(in: fields, after: position)
        }

        private static func arguments(after position: UInt64, atMost bytes: Int) -> [Argument] {
            [.number(position), .number(UInt64(min(max(bytes, 0), RedisLimits.readAtOnce)))]
        }

        private func entries(
            in fields: [RedisReply],
            after position: UInt64
        ) throws(ActionLogError) -> [ActionLogEntry] {
            guard fields.count.isMultiple(of: 4) else { throw refusal("gap", []) }
            var entries: [ActionLogEntry] = []
            entries.reserveCapacity(fields.count / 4)
            for index in stride(from: 0, to: fields.count, by: 4) {
                guard let origin = fields[index].string, let number = fields[index + 1].number,
                    let header = fields[index + 2].string, let payload = fields[index + 3].data
                else { throw refusal("gap", ["\(position + UInt64(index / 4) + 1)"]) }
                let identity = ActionLogEntry.Identity(origin: origin, number: number)
                entries.append(ActionLogEntry(identity, header: header, payload: payload))
            }
            try confirm(through: position + UInt64(entries.count))
            return entries
        }

        func wait(after position: UInt64, for duration: Duration) throws(ActionLogError) {
            let end = ContinuousClock.now + duration
            repeat {
                let part = Self.part(ofWaitUntil: end)
                if try connection.perform(waitCommand(after: position, for: part), waiting: part) != .null { return }
            } while ContinuousClock.now < end
        }

        /// The script is sent together with the command that waits, and runs as soon as that command returns.
        func read(
            after position: UInt64,
            atMost bytes: Int,
            onceAfter known: UInt64,
            within duration: Duration
        ) throws(ActionLogError) -> [ActionLogEntry] {
            let end = ContinuousClock.now + duration
            let arguments = Self.arguments(after: position, atMost: bytes)
            let script = command("EVALSHA", try digest(of: .read), keys.common, arguments)
            while true {
                let part = Self.part(ofWaitUntil: end)
                let replies = try connection.exchange([waitCommand(after: known, for: part), script], waiting: part)
                if case .error(let text) = replies[0] { throw .refusal(text, in: connection.name) }
                if replies[0] == .null, ContinuousClock.now < end { continue }
                return try entries(in: elements(of: replies[1], .read, keys.common, arguments), after: position)
            }
        }

        /// Bounded, so that a dead server is detected during a long wait.
        private static func part(ofWaitUntil end: ContinuousClock.Instant) -> Duration {
            min(max(ContinuousClock.now.duration(to: end), .milliseconds(1)), .seconds(5))
        }

        private func waitCommand(after position: UInt64, for duration: Duration) -> RedisCommand {
            RedisCommand(
                "XREAD",
                "COUNT",
                "1",
                "BLOCK",
                "\(duration.wholeMilliseconds)",
                "STREAMS",
                keys.entries,
                "\(position)-0"
            )
        }

        // MARK: Replicas of the server

        /// Waits until enough replicas have confirmed the last write: of entries, or else of a lease.
        func awaitReplicas(ofEntries isOfEntries: Bool = true) throws(ActionLogError) {
            guard case .replicas(let wanted, let duration) = acknowledgement, wanted > 0 else { return }
            // 0 would mean no timeout.
            let milliseconds = "\(max(duration.wholeMilliseconds, 1))"
            // A replica that loses its memory is not promoted with it, and leases end by themselves.
            let isOnDisk = isOfEntries && canWaitForDisks
            let command =
                isOnDisk
                ? RedisCommand("WAITAOF", "0", "\(wanted)", milliseconds)
                : RedisCommand("WAIT", "\(wanted)", milliseconds)
            let reply = try connection.perform(command, waiting: max(duration, .zero))
            let confirmed = (reply.elements?.last ?? reply).number ?? 0
            guard confirmed >= UInt64(wanted) else {
                throw ActionLogError(
                    .disconnected,
                    in: connection.name,
                    "\(confirmed) of \(wanted) replicas have confirmed the \(isOfEntries ? "entries" : "lease") within "
                        + "\(duration). \(isOfEntries ? "They are in the log of the primary. " : "")Check the replicas"
                        + "\(isOnDisk ? ", which need \"appendonly yes\"," : ""), and try again."
                )
            }
        }

        private var awaitsReplicas: Bool {
            guard case .replicas(let wanted, _) = acknowledgement else { return false }
            return wanted > 0
        }

        /// Waits until enough replicas have all entries up to a position. Stores then never reduce an entry that a
        /// fail-over could still remove.
        private func confirm(through position: UInt64) throws(ActionLogError) {
            guard awaitsReplicas, position > confirmedPosition else { return }
            // Often more, so that a reader that has fallen behind does not wait at each step.
            confirmedPosition = max(position, try awaitReplicasOfOthers())
        }

        /// Throws if the log already has a group and too few replicas have it. This confirms the group of an earlier
        /// call whose confirmation failed.
        private func confirmRepeat(of last: ActionLogEntry.Identity) throws(ActionLogError) {
            guard awaitsReplicas, try lastNumber(of: last.origin) >= last.number else { return }
            confirmedPosition = try awaitReplicasOfOthers()
        }

        /// Waits until enough replicas have confirmed all writes so far, also those of other connections.
        ///
        /// - Returns: The last position that they have confirmed.
        private func awaitReplicasOfOthers() throws(ActionLogError) -> UInt64 {
            // `WAIT` waits for the last write of the same connection, so this connection must write.
            guard let last = try run(.touch, keys.common).first?.number else { throw refusal("fields", []) }
            try awaitReplicas()
            return last
        }
    }

    extension Duration {
        /// The duration, rounded down, between 0 and about three hundred years.
        var wholeMilliseconds: UInt64 { UInt64(min(max(self / .milliseconds(1), 0), 1e13)) }
    }
#endif
