#if Postgres
    import ActorStorePersistence

    /// Why the server or libpq does not do what it was asked for.
    enum PostgresFailure: Error, Equatable {
        /// There is no connection any more, or never was. Whether the server did what it was asked for is not known.
        case connection(String)
        /// There is no connection, and will not be before something is changed.
        case refusal(String)
        /// The server cannot hold what is asked of it.
        case unsafe(String)
        /// There are no tables of this library, or those of another version.
        case unknownFormat(String)
        /// Another program keeps the server or the log from doing it.
        case busy(String)
        /// An error of the server, with its code, the SQLSTATE. The transaction has been undone.
        case statement(state: String, String)
        /// The transaction is on the disk of the primary, and may not be on that of a standby.
        case unreplicated(String)
        /// The server answers with something that does not belong there.
        case unexpectedAnswer(String)
        /// Another thread has ended the call.
        case interrupted

        /// Whether the same transaction may succeed a moment later: it ran into another one.
        var isCollision: Bool {
            if case .statement("40001", _) = self { return true }
            if case .statement("40P01", _) = self { return true }
            return false
        }

        /// What the user of a log is told.
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
            // The server is out of disk, or of memory.
            case "53100", "53200": .full
            // Too many connections, other limits, a lock that was not to be had in time, a statement that took too
            // long.
            case "53300", "53400", "55P03", "57014", "40001", "40P01": .busy
            // It shuts down, starts, or has become a standby: another host may be the primary. Or it has ended the
            // session, because a transaction has taken too long.
            case "57P01", "57P02", "57P03", "57P05", "25006", "25P03", "25P04": .disconnected
            // A missing right, database or schema, and text that the database's encoding has no place for.
            case "42501", "3D000", "3F000", "22021", "22P05": .refused
            // The tables or functions of this library are not there, or are others.
            case "42P01", "42703", "42704", "42804", "42883", "42P02": .unknownFormat
            // Damaged tables and indices, failed reads and writes; and numbers that are there twice.
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
