#if Redis
    import ActorStorePersistence

    extension ActionLogError {
        /// Returns the error for an error answer of the server.
        ///
        /// - Parameters:
        ///   - answer: The text of the answer. Its first word is its kind.
        ///   - log: The name of the log.
        static func refusal(_ answer: String, in log: String) -> ActionLogError {
            let kind = answer.prefix { $0 != " " }
            // Bounded, because a server may repeat its input.
            let text = answer.prefix(300)
            func error(_ code: Code, _ advice: String) -> ActionLogError {
                ActionLogError(code, in: log, "\(advice) The server answered: \(text)")
            }
            var lacksRight: ActionLogError {
                error(.refused, "The user lacks a privilege. The documentation of RedisLog lists the necessary ones.")
            }
            switch kind {
            case "LOADING": return error(.busy, "The server is loading its data. Try again.")
            case "BUSY", "TRYAGAIN", "UNKILLABLE":
                return error(.busy, "The server is busy with a command of another program. Try again.")
            case "READONLY":
                return error(.disconnected, "The server has become a replica. Connect to the primary.")
            case "MASTERDOWN", "CLUSTERDOWN", "UNBLOCKED":
                return error(.disconnected, "The server is temporarily unavailable. Try again.")
            case "NOREPLICAS":
                return error(
                    .disconnected,
                    "Fewer replicas are connected than min-replicas-to-write demands. Try again when they are connected."
                )
            case "OOM": return error(.full, "The memory of the server is full. Raise maxmemory, or trim logs.")
            case "MISCONF": return error(.full, "The server cannot write to its disk. Free or repair it.")
            case "NOAUTH": return error(.refused, "The server requires a password. Set RedisServer.password.")
            case "NOPERM": return lacksRight
            case "MOVED", "ASK":
                return error(.refused, "The keys of the log are on another node of the cluster. Connect to that node.")
            case "WRONGTYPE":
                return error(.unknownFormat, "A key of the log contains other data. Use another name for the log.")
            default:
                if answer.contains("max number of clients") {
                    return error(.busy, "The server has too many connections. Try again, or raise maxclients.")
                }
                if answer.contains("killed by user") {
                    return error(.busy, "An administrator has ended the command. Try again.")
                }
                if answer.contains("The user executing the script can't") { return lacksRight }
                // Of `WAIT` and `WAITAOF`.
                if answer.contains("cannot be used with replica instances") {
                    return error(.disconnected, "The server has become a replica. Connect to the primary.")
                }
                return error(.refused, "The server refused a command.")
            }
        }

        /// Returns the error for a failed login. It contains only the kind of the answer: a server that does not
        /// support the command repeats its arguments, including the password.
        static func refusedLogin(_ answer: String, in log: String) -> ActionLogError {
            let kind = answer.prefix { $0 != " " }
            switch kind {
            case "LOADING", "BUSY", "MASTERDOWN":
                return refusal("\(kind) at the login", in: log)
            case _ where answer.contains("max number of clients"):
                return refusal("ERR max number of clients reached", in: log)
            default:
                return ActionLogError(
                    .refused,
                    in: log,
                    "The server refused the login (\(kind.prefix(20))). Check RedisServer.user and "
                        + "RedisServer.password."
                )
            }
        }
    }
#endif
