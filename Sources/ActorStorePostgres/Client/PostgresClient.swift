#if Postgres
    import ActorStorePersistence
    import CPostgres
    import Foundation

    /// A statement with its parameters.
    struct PostgresCommand {
        /// The name under which the server keeps the prepared statement; nil for a statement that is used once.
        var name: String?
        var text: String
        var parameters: [PostgresValue] = []
    }

    /// A connection to a server. Each call ends within its timeout, or shortly after an interruption. Only one thread
    /// at a time may use it.
    ///
    /// It is always in libpq's pipeline mode: commands are sent to the server together, and those between two
    /// synchronizations are one transaction.
    final class PostgresClient {
        // Sound: the pointer is created in `init`, used only by the thread that uses this object, and freed once, in
        // `close()`, which sets it to nil.
        private(set) var connection: OpaquePointer?
        let interruption: SocketInterruption
        private let timeout: Duration
        private let redact: (String) -> String
        private let notices = PostgresNotices()
        private let isStandbyAwaited: Bool
        /// Whether the server waited for standbys until the end of the last call that verified it. An administrator who
        /// turns that off also ends the waits of running transactions, which then commit without a warning.
        private(set) var waitsForStandbys = true

        private var preparedNames: Set<String> = []
        /// The commands that were sent and are not answered yet, in order.
        private var pending: [Pending] = []
        /// Whether another connection has sent a notification since this was last set to false.
        var hasNotification = false

        /// The number of successive waits for encrypted bytes in which none arrived.
        var emptyWaits = 0

        private enum Pending {
            case preparation(of: String, isWanted: Bool)
            case answer(isWanted: Bool)
            case synchronization(isWanted: Bool)

            /// Whether a call awaits it. The others belong to a command without an awaited answer.
            var isWanted: Bool {
                switch self {
                case .preparation(_, let isWanted), .answer(let isWanted), .synchronization(let isWanted): isWanted
                }
            }
        }

        /// Connects to the first reachable host that accepts writes.
        ///
        /// - Parameters:
        ///   - timeout: The timeout for each address of each host.
        ///   - statementTimeout: The timeout for each later call.
        ///   - isStandbyAwaited: Whether a call fails if no standby has acknowledged it.
        ///   - lookUp: Returns the addresses of a name.
        init(
            _ options: ConnectionOptions,
            timeout: Duration,
            statementTimeout: Duration,
            isStandbyAwaited: Bool,
            lookUp: (String) -> [String] = ConnectionOptions.lookUp
        ) throws(PostgresFailure) {
            let secrets = options.secrets
            redact = { text in secrets.reduce(text) { $0.replacingOccurrences(of: $1, with: "…") } }
            self.timeout = statementTimeout
            self.isStandbyAwaited = isStandbyAwaited
            guard let interruption = SocketInterruption() else {
                throw .connection("No file descriptors are available: \(String(cString: strerror(errno)))")
            }
            self.interruption = interruption
            var failures: [PostgresFailure] = []
            for endpoint in options.endpoints {
                for address in options.addresses(of: endpoint, lookUp) {
                    do throws(PostgresFailure) {
                        try connect(to: address, until: .now + timeout)
                        try checkAcceptsWrites()
                        return
                    } catch {
                        close()
                        // Another host may be available, also if this one has too many connections.
                        guard error.error(in: "").isTransient else { throw error }
                        failures.append(error)
                    }
                }
            }
            throw failures.count == 1 ? failures[0] : Self.all(of: failures)
        }

        private static func all(of failures: [PostgresFailure]) -> PostgresFailure {
            let errors = failures.map { $0.error(in: "") }
            let reason = errors.map(\.reason).joined(separator: "; ")
            // The addresses of one server fail for the same reason.
            return errors.allSatisfy { $0.code == .busy } ? .busy(reason) : .connection(reason)
        }

        deinit { close() }

        func close() {
            if let connection { PQfinish(connection) }
            connection = nil
            // Another address does not answer what was sent to this one, and has none of it.
            pending = []
            preparedNames = []
        }

        var serverVersion: Int { connection.map { Int(PQserverVersion($0)) } ?? 0 }

        // MARK: Connecting

        private func connect(
            to endpoint: [String: String],
            until deadline: ContinuousClock.Instant
        ) throws(PostgresFailure) {
            let options = endpoint.sorted { $0.key < $1.key }
            let started = withCStrings(options.map(\.key)) { keywords in
                withCStrings(options.map(\.value)) { values in PQconnectStartParams(keywords, values, 0) }
            }
            guard let started else { throw .connection("libpq has no memory for a connection.") }
            connection = started
            // libpq calls the receiver within calls on this thread. Sound: this object retains `notices`, and frees the
            // connection before it is deinitialized.
            PQsetNoticeReceiver(started, PostgresNotices.receive, Unmanaged.passUnretained(notices).toOpaque())
            // Adds the SQLSTATE to the error text. While libpq connects, it reports the SQLSTATE in no other way.
            _ = PQsetErrorVerbosity(started, PQERRORS_VERBOSE)
            guard PQstatus(started) != CONNECTION_BAD else { throw connectingFailure }
            var state = PGRES_POLLING_WRITING
            while true {
                switch state {
                case PGRES_POLLING_OK:
                    guard PQsetnonblocking(started, 1) == 0, PQenterPipelineMode(started) == 1 else {
                        throw brokenOff
                    }
                    return
                case PGRES_POLLING_READING, PGRES_POLLING_WRITING:
                    let events = state == PGRES_POLLING_READING ? POLLIN : POLLOUT
                    // Also if the server always answers before this waits.
                    guard ContinuousClock.now < deadline, try wait(for: Int16(events), until: deadline) else {
                        throw .connection(
                            "\(endpoint["host"] ?? "The server") did not answer in time. Check the server and the network."
                        )
                    }
                    state = PQconnectPoll(started)
                default: throw connectingFailure
                }
            }
        }

        /// Throws if transactions are read-only by default: by a setting of the server, which can pass, or of the user.
        private func checkAcceptsWrites() throws(PostgresFailure) {
            guard let connection else { throw brokenOff }
            let name = "default_transaction_read_only"
            // Servers before version 14 do not report it.
            if let value = PQparameterStatus(connection, name), String(cString: value) == "off" { return }
            let settings = try perform(
                [
                    PostgresCommand(
                        text: "SELECT setting, source FROM pg_catalog.pg_settings WHERE name = $1::text",
                        parameters: [.text(name)]
                    )
                ]
            )
            guard settings.count == 1, try settings.text(0, 0) == "on" else { return }
            let source = try settings.text(0, 1)
            guard ["user", "database user", "client"].contains(source) else {
                throw .connection("The server accepts no writes: its setting \(name) is on.")
            }
            throw .refusal(
                "The user's transactions are read-only: the setting \(name) of the \(source) is on. Turn it off with "
                    + "ALTER ROLE, or in the options of the connection."
            )
        }

        private var connectingFailure: PostgresFailure {
            let text = errorText
            // "FATAL: 28P01: password authentication failed". A SQLSTATE contains a digit, unlike FATAL, ERROR and
            // PANIC.
            let state = text.split(separator: ":").lazy.map { $0.trimmingCharacters(in: .whitespaces) }.first {
                $0.utf8.count == 5 && $0.utf8.allSatisfy { Self.stateCharacters.contains($0) }
                    && $0.contains { $0.isNumber }
            }
            switch state {
            case nil:
                // libpq has no code for its own refusals. That a file cannot be read passes: it is being replaced, or
                // there are no free file descriptors.
                let isLasting =
                    ["certificate", "does not support SSL"].contains { text.contains($0) }
                    && !["could not read", "could not open", "could not load"].contains { text.contains($0) }
                return isLasting ? .refusal(text) : .connection(text)
            case let state?:
                let failure = PostgresFailure.statement(state: state, text)
                return failure.error(in: "").code == .disconnected ? .connection(text) : failure
            }
        }

        private static let stateCharacters = Set("ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789".utf8)

        private var errorText: String {
            guard let connection else { return "The connection is closed." }
            let lines = String(cString: PQerrorMessage(connection)).split(separator: "\n")
                .map { $0.trimmingCharacters(in: .whitespaces) }
                .filter { !$0.hasPrefix("LOCATION:") }
            return lines.isEmpty ? "The connection is closed." : redact(lines.joined(separator: " "))
        }

        var brokenOff: PostgresFailure { .connection(errorText) }

        // MARK: Commands

        /// Executes commands on the server in one transaction.
        ///
        /// - Parameters:
        ///   - commands: The commands of the transaction.
        ///   - afterwards: A command in a separate transaction after the others. Its answer is not awaited.
        ///   - isVerified: Whether to set ``waitsForStandbys``, if standbys are awaited.
        /// - Returns: The answer to the last command.
        /// - Throws: ``PostgresFailure/statement(state:_:)`` if the server rejects a command; the connection stays
        ///   usable. After any other failure the connection is closed.
        func perform(
            _ commands: [PostgresCommand],
            then afterwards: PostgresCommand? = nil,
            verifyingStandbys isVerified: Bool = false
        ) throws(PostgresFailure) -> PostgresResult {
            do throws(PostgresFailure) {
                for command in commands where command.parameters.contains(where: \.hasNUL) {
                    throw .statement(
                        state: "22021",
                        "A text contains a NUL character, which PostgreSQL cannot store. Remove or encode it."
                    )
                }
                return try exchange(commands, afterwards, isVerified: isVerified && isStandbyAwaited)
            } catch {
                if case .statement = error, let connection, PQstatus(connection) == CONNECTION_OK { throw error }
                close()
                throw error
            }
        }

        private func exchange(
            _ commands: [PostgresCommand],
            _ afterwards: PostgresCommand?,
            isVerified: Bool
        ) throws(PostgresFailure) -> PostgresResult {
            try throwIfInterrupted()
            notices.warning = nil
            // The server itself ends statements that take too long, and reports it. This deadline is for a server that
            // does not answer.
            let deadline = ContinuousClock.now + timeout + .seconds(1)
            for command in commands { try send(command, isWanted: true) }
            try synchronize(isWanted: true)
            if isVerified {
                try send(Self.verification, isWanted: true)
                try synchronize(isWanted: true)
            }
            if let afterwards {
                try send(afterwards, isWanted: false)
                try synchronize(isWanted: false)
            }
            try flush(until: deadline)
            let outcome = Result { () throws(PostgresFailure) in try receive(until: deadline) }
            let warning = notices.warning
            // Also after an error, so that the next call does not take this answer for its own. A broken connection
            // fails again.
            if isVerified { waitsForStandbys = try receive(until: deadline).flag(0, 0) }
            noteNotifications()
            let result = try outcome.get()
            // An administrator or the server's shutdown ended the wait for the standby. The server reports that only by
            // a warning, and then commits.
            if isStandbyAwaited, let warning {
                throw .unreplicated("No standby has acknowledged the transaction: \(warning)")
            }
            return result
        }

        private static let verification = PostgresCommand(
            name: "verification",
            text: "SELECT current_setting('synchronous_standby_names') <> ''"
        )

        private func send(_ command: PostgresCommand, isWanted: Bool) throws(PostgresFailure) {
            guard let connection else { throw brokenOff }
            if let name = command.name, !preparedNames.contains(name) {
                guard PQsendPrepare(connection, name, command.text, 0, nil) == 1 else { throw brokenOff }
                pending.append(.preparation(of: name, isWanted: isWanted))
                preparedNames.insert(name)
            }
            let parameters = PostgresParameters(command.parameters)
            let count = Int32(parameters.ranges.count)
            let lengths = parameters.ranges.map { Int32(clamping: $0?.count ?? 0) }
            let formats = [Int32](repeating: 1, count: parameters.ranges.count)
            let isSent = parameters.bytes.withUnsafeBufferPointer { bytes in
                bytes.withMemoryRebound(to: CChar.self) { characters in
                    let values = parameters.ranges.map { range in
                        range.flatMap { range in characters.baseAddress.map { $0 + range.lowerBound } }
                    }
                    return if let name = command.name {
                        PQsendQueryPrepared(connection, name, count, values, lengths, formats, 1)
                    } else {
                        PQsendQueryParams(connection, command.text, count, nil, values, lengths, formats, 1)
                    }
                }
            }
            guard isSent == 1 else { throw brokenOff }
            pending.append(.answer(isWanted: isWanted))
        }

        private func synchronize(isWanted: Bool) throws(PostgresFailure) {
            guard let connection, PQpipelineSync(connection) == 1 else { throw brokenOff }
            pending.append(.synchronization(isWanted: isWanted))
        }

        /// Receives answers up to the synchronization that ends the awaited commands.
        private func receive(until deadline: ContinuousClock.Instant) throws(PostgresFailure) -> PostgresResult {
            guard let connection else { throw brokenOff }
            var outcome: Result<PostgresResult, PostgresFailure>?
            var separators = 0
            while true {
                while PQisBusy(connection) == 1 { try consumeInput(until: deadline) }
                guard let answer = PQgetResult(connection) else {
                    separators += 1
                    // One nil stands between two commands. More follow only if there is nothing to wait for.
                    guard PQstatus(connection) == CONNECTION_OK, separators < 4 else { throw brokenOff }
                    continue
                }
                separators = 0
                let result = PostgresResult(taking: answer)
                guard let next = pending.first else {
                    throw .unexpectedAnswer("The server sent an answer without a command.")
                }
                // A failed commit is reported before the synchronization that caused it.
                let isSynchronization = result.status == PGRES_PIPELINE_SYNC
                if case .synchronization = next, !isSynchronization {} else { pending.removeFirst() }
                if case .preparation(let name, _) = next, result.status != PGRES_COMMAND_OK {
                    preparedNames.remove(name)
                }
                guard next.isWanted else {
                    // A failure or a warning of a command that is not awaited does not concern this call.
                    if isSynchronization { notices.warning = nil }
                    continue
                }
                switch (next, outcome, failure(of: result)) {
                case (.synchronization, let outcome, nil):
                    guard isSynchronization else { throw brokenOff }
                    guard let outcome else { throw .unexpectedAnswer("The server sent no answer to the command.") }
                    return try outcome.get()
                case (_, .failure, _), (.preparation, _, nil): break
                case (_, _, let failure?): outcome = .failure(failure)
                case (.answer, _, nil): outcome = .success(result)
                }
            }
        }

        private func failure(of result: PostgresResult) -> PostgresFailure? {
            switch result.status {
            case PGRES_TUPLES_OK, PGRES_COMMAND_OK, PGRES_PIPELINE_SYNC, PGRES_PIPELINE_ABORTED: nil
            default:
                switch result.failure {
                case .connection: brokenOff
                case let failure: failure
                }
            }
        }
    }

    /// Receives the server's warnings, which libpq would print otherwise.
    private final class PostgresNotices {
        /// The last warning that a standby was not awaited.
        var warning: String?

        /// The file of the server's source that reports it. Triggers, and a server that needs a vacuum, warn as well.
        private static let source = "syncrep.c"

        static let receive: @convention(c) (UnsafeMutableRawPointer?, OpaquePointer?) -> Void = { receiver, result in
            guard let receiver, PostgresDiagnostic.severity.text(in: result) == "WARNING",
                PostgresDiagnostic.source.text(in: result) ?? source == source
            else { return }
            Unmanaged<PostgresNotices>.fromOpaque(receiver).takeUnretainedValue().warning =
                PostgresDiagnostic.message.text(in: result) ?? "a warning"
        }
    }

    /// Passes strings to a C function as an array that ends with nil.
    func withCStrings<Result>(
        _ texts: [String],
        _ body: ([UnsafePointer<CChar>?]) -> Result
    ) -> Result {
        var bytes: [CChar] = []
        let offsets = texts.map { text in
            defer { bytes.append(contentsOf: text.utf8CString) }
            return bytes.count
        }
        return bytes.withUnsafeBufferPointer { bytes in
            body(offsets.map { offset in bytes.baseAddress.map { $0 + offset } } + [nil])
        }
    }
#endif
