#if Postgres
    /// How a ``PostgresLog`` connects to a PostgreSQL server, and what it expects of it.
    ///
    /// ```swift
    /// let server = PostgresServer(
    ///     "postgresql://shop@db1,db2/shop?sslmode=verify-full&sslrootcert=/etc/shop/ca.pem",
    ///     acknowledgement: .standby
    /// )
    /// let log = PostgresLog(server, stream: "stock")
    /// ```
    ///
    /// The connection string or URI is that of libpq, with all of its options: TLS, passwords, password files,
    /// certificates and services. Environment variables such as `PGHOST` supply what it leaves out. Several hosts are
    /// tried in their order; the first primary is used, so that a log follows a fail-over. Descriptions, errors and
    /// mirrors contain no passwords.
    ///
    /// Connections keep state in the session. A connection pooler between the program and the server must pool
    /// sessions, not transactions.
    public struct PostgresServer: Sendable {
        /// When a group of entries counts as appended.
        public enum Acknowledgement: Sendable, Hashable {
            /// The primary has flushed the entries to its disk. A standby that is promoted may lack them; then
            /// `AppendCondition` detects the loss.
            case primary
            /// In addition, as many standbys have flushed them as the server's `synchronous_standby_names` demands. A
            /// server where that setting is empty is refused. While no such standby is connected, calls fail after
            /// ``PostgresServer/statementTimeout``.
            case standby
        }

        let connectionString: String
        /// When a group of entries counts as appended.
        public var acknowledgement: Acknowledgement
        /// How long connecting to one host may take, authentication included. The lookup of a host's name is not
        /// limited by it, but by the system's resolver.
        public var connectionTimeout: Duration
        /// How long the server may take for one call, including waiting for other writers and for a standby.
        public var statementTimeout: Duration
        /// Whether to use a server whose `fsync` or `full_page_writes` is off, which a power cut can corrupt. For
        /// tests.
        public var allowsLoss: Bool

        /// Creates a server description. It does not connect.
        ///
        /// - Parameters:
        ///   - connectionString: The connection string or URI of libpq.
        ///   - acknowledgement: When a group of entries counts as appended.
        ///   - connectionTimeout: How long connecting to one host may take.
        ///   - statementTimeout: How long the server may take for one call.
        ///   - allowsLoss: Whether to use a server whose `fsync` or `full_page_writes` is off.
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
