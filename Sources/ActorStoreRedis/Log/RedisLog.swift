#if Redis
    public import ActorStorePersistence
    import Foundation

    /// A log in a stream of a Redis server.
    ///
    /// ```swift
    /// let log = RedisLog(RedisServer(.host("10.0.0.7"), password: "…"), stream: "shop")
    /// ```
    ///
    /// An append returns after the primary has synced the entries to its disk. ``connect()`` refuses servers with other
    /// settings, unless ``RedisServer/allowsLoss`` is set. A fail-over to a lagging replica can still lose entries.
    /// Every later append that expects a lost entry throws `ActionLogError.Code.lostEntries`.
    /// ``RedisAcknowledgement/replicas(_:within:)`` makes such losses rarer.
    ///
    /// A script on the server appends each group in one step, and refuses gaps, repeated entries and stale writers. An
    /// entry or a part of a snapshot has up to 64 MiB, and a group up to 256 MiB and 100,000 entries. Positions and
    /// numbers are below 2^53.
    ///
    /// The keys of a log begin with its name in braces: `{shop}:entries` is a stream whose entry at position N has the
    /// id `N-0`. No other program may write to them. The ACL user needs `~{shop}:* +@read +@write +@scripting +time
    /// +wait +waitaof +info +config|get` (without `+waitaof` before Redis 7.2). The log permanently keeps the last
    /// number of every origin, about 100 bytes each.
    public struct RedisLog: ActionLog {
        /// The server and the stream.
        public let name: String
        private let server: RedisServer
        private let stream: String
        private let acknowledgement: RedisAcknowledgement

        /// Creates a log. It does not connect.
        ///
        /// - Parameters:
        ///   - server: The server.
        ///   - stream: The name of the log on the server: 1 to 512 bytes, without braces.
        ///   - acknowledgement: The servers that must have a group before an append returns.
        public init(_ server: RedisServer, stream: String, acknowledgement: RedisAcknowledgement = .primary) {
            self.server = server
            self.stream = stream
            self.acknowledgement = acknowledgement
            name = "\(server), stream \"\(stream)\""
        }

        /// Connects to the server, checks its settings, and creates the log if it does not exist.
        ///
        /// It blocks for up to ``RedisServer/connectTimeout``, and then for up to ``RedisServer/answerTimeout`` for
        /// each of about ten commands.
        ///
        /// - Returns: A connection to the log.
        /// - Throws: An `ActionLogError` with one of these codes:
        ///   - `disconnected` if the server cannot be reached, or is a replica of another one;
        ///   - `unsafe` if the server's version is below 7, or if the server can lose acknowledged entries and
        ///     ``RedisServer/allowsLoss`` is not set;
        ///   - `busy` if the server is writing its first append-only file, or is loading its data;
        ///   - `refused` if the login fails or a privilege is missing;
        ///   - `damaged` or `unknownFormat` if the keys are not those of a log.
        public func connect() throws(ActionLogError) -> any ActionLogConnection {
            guard RedisLogKeys.allows(stream) else {
                throw ActionLogError(
                    .refused,
                    in: name,
                    "The name of the stream must have 1 to 512 bytes, without braces."
                )
            }
            if case .replicas(let count, _) = acknowledgement, count < 0 {
                throw ActionLogError(.refused, in: name, "The number of replicas is negative. Use 0 or more.")
            }
            let connection = try RedisConnection(server, for: name)
            let settings = try RedisSettings(of: connection)
            try check(settings)
            return try RedisLogConnection(connection, RedisLogKeys(stream), acknowledgement, settings)
        }

        /// Returns the settings of the server, which it reads on a separate connection. It blocks as long as
        /// ``connect()``.
        ///
        /// - Returns: The settings that the user may read.
        /// - Throws: `ActionLogError` if the server cannot be reached, or refuses the login or a command.
        public func settings() throws(ActionLogError) -> RedisSettings {
            try RedisSettings(of: try RedisConnection(server, for: name))
        }

        private func check(_ settings: RedisSettings) throws(ActionLogError) {
            if let version = settings.version, let major = settings.majorVersion, major < 7 {
                throw ActionLogError(
                    .unsafe,
                    in: name,
                    "The server has version \(version). Update it to Redis 7 or later."
                )
            }
            // The server may have been demoted. Its name may soon lead to another server.
            if let role = settings.role, role != "master" {
                throw ActionLogError(
                    .disconnected,
                    in: name,
                    "The server's role is \(role): it accepts no writes. Connect to the primary."
                )
            }
            if server.allowsLoss { return }
            let hazards =
                settings.hazards
                + (settings.version == nil ? ["The version of the server is not known. Allow INFO."] : [])
            guard hazards.isEmpty else {
                throw ActionLogError(
                    .unsafe,
                    in: name,
                    "The server can lose acknowledged entries. \(hazards.joined(separator: " ")) Or set "
                        + "RedisServer.allowsLoss."
                )
            }
            if settings.isBeginningFile {
                throw ActionLogError(
                    .busy,
                    in: name,
                    "The server is writing the first version of its append-only file, without which a restart may lose "
                        + "entries. Try again when INFO shows \"aof_rewrite_in_progress:0\"."
                )
            }
        }
    }

    /// The servers that must have a group before an append returns.
    public enum RedisAcknowledgement: Sendable, Hashable {
        /// The primary has the group on its disk.
        case primary
        /// The primary has the group on its disk, and at least `count` replicas confirm it. Before Redis 7.2, a replica
        /// confirms a group that it has in memory (`WAIT`). From 7.2 on, it confirms a group that it has on its disk
        /// (`WAITAOF`, for which replicas need `appendonly yes`).
        ///
        /// If fewer replicas confirm a group in time, the append throws `ActionLogError.Code.disconnected`. The group
        /// is then in the log of the primary, and replicas may still receive it. Append it again, as after any
        /// transient error. That append waits for the replicas again, and throws `unexpectedNumber` once enough of them
        /// have the group.
        ///
        /// A read waits in the same way until enough replicas have what it returns, so that no store reduces an action
        /// that a fail-over to one of them can remove. Without enough replicas, stores neither append nor read.
        case replicas(_ count: Int, within: Duration = .seconds(1))
    }

    extension RedisSettings {
        /// Reads the settings of a server.
        init(of connection: RedisConnection) throws(ActionLogError) {
            /// Returns nil if the user may not use the command, or if the server does not support it.
            func ask(_ command: RedisCommand) throws(ActionLogError) -> RedisReply? {
                let reply = try connection.exchange(command)
                guard case .error(let answer) = reply else { return reply }
                if answer.hasPrefix("NOPERM") || answer.contains("unknown command") { return nil }
                throw .refusal(answer, in: connection.name)
            }
            let info = try ask(RedisCommand("INFO"))?.string
            var configuration: [String: String] = [:]
            for name in Self.configurationNames {
                guard let pair = try ask(RedisCommand("CONFIG", "GET", name))?.elements else { break }
                if pair.count >= 2 { configuration[name] = pair[1].string }
            }
            self.init(info: info, configuration: configuration)
        }
    }
#endif
