#if Postgres
    import ActorStorePersistence

    /// An error of the server or of libpq.
    enum PostgresFailure: Error, Equatable {
        /// There is no connection. Whether the server has executed the command is unknown.
        case connection(String)
        /// There is no connection, and retrying does not help until the configuration is changed.
        case refusal(String)
        /// The server's settings cannot guarantee the requested durability.
        case unsafe(String)
        /// The tables of this library are missing, or of another version.
        case unknownFormat(String)
        /// Another program blocks the server or the log.
        case busy(String)
        /// An error of the server, with its SQLSTATE. The transaction was rolled back.
        case statement(state: String, String)
        /// The transaction is on the disk of the primary, but possibly not on that of a standby.
        case unreplicated(String)
        /// The server sent an unexpected answer.
        case unexpectedAnswer(String)
        /// Another thread interrupted the call.
        case interrupted

        /// Creates the failure for an error of the server.
        ///
        /// - Parameters:
        ///   - state: The SQLSTATE.
        ///   - message: The message.
        ///   - source: The name of the file of the server's source that reports it.
        init(state: String, _ message: String, source: String?) {
            // The server has no more numbers for transactions until it has been vacuumed. Other errors with this state
            // concern the size of a value.
            if state == "54000", let source, ["varsup.c", "multixact.c"].contains(source) {
                self = .busy("\(message) (SQLSTATE \(state))")
            } else {
                self = .statement(state: state, message)
            }
        }

        /// Whether the transaction collided with another one, so that a retry can succeed at once.
        var isCollision: Bool {
            if case .statement("40001", _) = self { return true }
            if case .statement("40P01", _) = self { return true }
            return false
        }

        /// Returns the error that a user of the log receives.
        func error(in log: String) -> ActionLogError {
            switch self {
            case .connection(let reason): ActionLogError(.disconnected, in: log, reason)
            case .refusal(let reason): ActionLogError(.refused, in: log, reason)
            case .unsafe(let reason): ActionLogError(.unsafe, in: log, reason)
            case .unknownFormat(let reason): ActionLogError(.unknownFormat, in: log, reason)
            case .busy(let reason): ActionLogError(.busy, in: log, reason)
            case .unreplicated(let reason): ActionLogError(.disconnected, in: log, reason)
            case .unexpectedAnswer(let reason): ActionLogError(.damaged, in: log, reason)
            case .interrupted: ActionLogError(.closed, in: log, "The connection was interrupted.")
            case .statement(let state, let message):
                ActionLogError(Self.code(of: state), in: log, "\(message) (SQLSTATE \(state))")
            }
        }

        private static func code(of state: String) -> ActionLogError.Code {
            switch state {
            // The server has run out of disk space or memory.
            case "53100", "53200": .full
            // No free file descriptors, too many connections, other limits, a lock timeout, a statement timeout, a
            // collision.
            case "53000", "53300", "53400", "55P03", "57014", "40001", "40P01": .busy
            // The server shuts down, starts, or has become a standby, so that another host may be the primary. Or it
            // has ended the session because a transaction took too long.
            case "57P01", "57P02", "57P03", "57P05", "25006", "25P03", "25P04": .disconnected
            // A missing privilege, database or schema, and text that the database's encoding cannot represent.
            case "42501", "3D000", "3F000", "22021", "22P05": .refused
            // The tables or functions of this library are missing or different.
            case "42P01", "42703", "42704", "42804", "42883", "42P02": .unknownFormat
            // Damaged tables and indices, failed reads and writes, and duplicate numbers.
            case "XX001", "XX002", "58030", "58P01", "23505": .damaged
            default:
                switch state.prefix(2) {
                case "08": .disconnected
                case "54": .tooLarge
                default: .refused
                }
            }
        }
    }
#endif
