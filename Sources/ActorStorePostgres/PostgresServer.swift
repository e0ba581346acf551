#if Postgres
    /// A PostgreSQL server, or several of which one is the primary, and how a log uses it.
    ///
    /// ```swift
    /// let server = PostgresServer(
    ///     "postgresql://shop@db1,db2/shop?sslmode=verify-full&sslrootcert=/etc/shop/ca.pem",
    ///     acknowledgement: .standby
    /// )
    /// let log = PostgresLog(server, stream: "stock")
    /// ```
    ///
    /// The text is the connection string or URI of libpq, with all that libpq knows: TLS, passwords, password files,
    /// certificates, services, and the environment's `PG…` variables for what is left out. If it names several hosts, they
    /// are tried in their order, and the first that is not a standby is taken. Descriptions, errors and mirrors show no
    /// passwords.
    ///
    /// Connections keep state in the session: a connection pool between the program and the server has to be one of
    /// sessions, not of transactions.
    public struct PostgresServer: Sendable {
        /// When a group of entries counts as appended.
        public enum Acknowledgement: Sendable, Hashable {
            /// When it is on the disk of the primary. A standby that takes over may not have it: what was acknowledged is
            /// lost then, and ``AppendCondition`` finds that out.
            case primary
            /// When it is also on the disk of as many standbys as the server's `synchronous_standby_names` says. A server
            /// where that is empty is refused. Without such a standby, calls end with an error after
            /// ``PostgresServer/statementTimeout``.
            case standby
        }

        let connectionString: String
        /// When a group of entries counts as appended.
        public var acknowledgement: Acknowledgement
        /// How long one host may take until it has let the program in. Looking up a host's name comes on top: how long
        /// that takes at most is a matter of the system's resolver.
        public var connectionTimeout: Duration
        /// How long the server may take for one call, the waiting for other writers included.
        public var statementTimeout: Duration
        /// Whether a server is taken that can lose or damage what it has acknowledged when the power fails, because its
        /// `fsync` or `full_page_writes` is off: for tests.
        public var allowsLoss: Bool

        /// Creates a server; nothing is connected yet.
        ///
        /// - Parameters:
        ///   - connectionString: The connection string or URI of libpq.
        ///   - acknowledgement: When a group of entries counts as appended.
        ///   - connectionTimeout: How long one host may take until it has let the program in.
        ///   - statementTimeout: How long the server may take for one call.
        ///   - allowsLoss: Whether a server is taken whose `fsync` or `full_page_writes` is off.
        public init(
            _ connectionString: String,
            acknowledgement: Acknowledgement = .primary,
            connectionTimeout: Duration = .seconds(5),
            statementTimeout: Duration = .seconds(10),
            allowsLoss: Bool = false
        ) {
            self.connectionString = connectionString
            self.acknowledgement = acknowledgement
            self.connectionTimeout = connectionTimeout
            self.statementTimeout = statementTimeout
            self.allowsLoss = allowsLoss
        }
    }

    extension PostgresServer: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
        /// The hosts and the database, without users and passwords.
        public var description: String { ConnectionOptions(connectionString)?.place ?? "PostgreSQL" }

        /// The hosts and the database, without users and passwords.
        public var debugDescription: String { description }

        /// What a debugger shows: everything but the connection string, which may have a password.
        public var customMirror: Mirror {
            Mirror(
                self,
                children: [
                    "place": description, "acknowledgement": acknowledgement, "connectionTimeout": connectionTimeout,
                    "statementTimeout": statementTimeout, "allowsLoss": allowsLoss,
                ],
                displayStyle: .struct
            )
        }
    }
#endif
