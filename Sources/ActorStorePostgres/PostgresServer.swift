#if Postgres
    /// A PostgreSQL server, with the options of a connection and the durability that it must provide.
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
    /// certificates and services. Environment variables such as `PGHOST` supply missing options. Several hosts, and the
    /// addresses of a host's name, are tried in order; the first primary that accepts writes is used, whatever
    /// `target_session_attrs` says, so that a log follows a fail-over. Descriptions, errors and mirrors contain no
    /// passwords.
    ///
    /// Connections keep state in the session. A connection pooler between the program and the server must pool
    /// sessions, not transactions.
    public struct PostgresServer: Sendable {
        /// The condition under which a group of entries counts as appended.
        public enum Acknowledgement: Sendable, Hashable {
            /// The primary has flushed the entries to its disk. A promoted standby may lack them; `AppendCondition`
            /// then detects the loss.
            case primary
            /// In addition, as many standbys as the server's `synchronous_standby_names` demands have flushed the
            /// entries. A server with an empty setting is refused. While no such standby is connected, calls fail after
            /// ``PostgresServer/statementTimeout``.
            ///
            /// If an administrator ends the wait of such a call, with `pg_cancel_backend`, `pg_terminate_backend` or an
            /// empty setting, its entries become visible, although no standby has them and they are not acknowledged.
            /// Replicas reduce them, and end with `lostEntries` if a standby is promoted then.
            case standby
        }

        let connectionString: String
        /// The condition under which a group of entries counts as appended.
        public var acknowledgement: Acknowledgement
        /// The timeout for connecting to one address of a host, including authentication. It does not limit the lookup
        /// of the host's name; the system's resolver does.
        public var connectionTimeout: Duration
        /// The timeout for one call, including the wait for other writers and for a standby.
        public var statementTimeout: Duration
        /// Whether to accept a server whose `fsync` or `full_page_writes` is off, so that a power cut can corrupt it.
        /// For tests.
        public var allowsLoss: Bool

        /// Creates a server description. It does not connect.
        ///
        /// - Parameters:
        ///   - connectionString: The connection string or URI of libpq.
        ///   - acknowledgement: The condition under which a group of entries counts as appended.
        ///   - connectionTimeout: The timeout for connecting to one address of a host.
        ///   - statementTimeout: The timeout for one call.
        ///   - allowsLoss: Whether to accept a server whose `fsync` or `full_page_writes` is off.
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

        /// A mirror without the connection string, which may contain a password.
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
