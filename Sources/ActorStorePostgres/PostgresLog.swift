#if Postgres
    public import ActorStorePersistence
    import Foundation

    /// A log in a PostgreSQL database, for stores on one machine or on several.
    ///
    /// ```swift
    /// let log = PostgresLog(PostgresServer("host=db.example dbname=shop sslmode=verify-full"), stream: "stock")
    /// let connection = try log.connect()
    /// ```
    ///
    /// A database can contain any number of streams. The first connection creates the tables and functions in a
    /// separate schema. A user without the privilege to create them can use existing ones, with the privileges to read
    /// and write the tables, and to execute the functions; after an upgrade of this library that adds functions, their
    /// owner has to connect first. The server must be PostgreSQL 13 or later, and the database must have the encoding
    /// UTF8.
    ///
    /// Each group of entries is one transaction that locks the row of the stream, so that positions have no gaps and
    /// become visible in order. ``PostgresServer/acknowledgement`` decides how durable an acknowledged group is.
    public struct PostgresLog: ActionLog {
        /// The stream, the hosts and the database.
        public let name: String
        private let server: PostgresServer
        private let stream: String
        private let schema: PostgresSchema

        /// Creates a log. It does not connect.
        ///
        /// - Parameters:
        ///   - server: The server, with the options of a connection.
        ///   - stream: The name of the log within the schema.
        ///   - schema: The schema of the database that contains the tables. It has up to 63 bytes.
        public init(_ server: PostgresServer, stream: String, schema: String = "actor_store") {
            self.server = server
            self.stream = stream
            self.schema = PostgresSchema(schema)
            name = "\(stream) at \(server)"
        }

        /// Connects to the server, checks its settings, and creates the schema, the tables and the stream if necessary.
        ///
        /// It blocks for up to ``PostgresServer/connectionTimeout`` per address of each host, and for the lookup of the
        /// hosts' names, and then for a few calls of up to ``PostgresServer/statementTimeout``.
        ///
        /// - Returns: A connection to the log.
        /// - Throws: An `ActionLogError` with one of these codes:
        ///   - `disconnected` if no host is reachable, or only a standby or a server whose setting
        ///     `default_transaction_read_only` is on, or if a file of a certificate cannot be read;
        ///   - `refused` if the connection string cannot be read, the authentication fails, the certificate is not
        ///     accepted, or `default_transaction_read_only` is on for the user;
        ///   - `unsafe` if the server's settings do not fit ``PostgresServer/acknowledgement``;
        ///   - `busy` if no synchronous standby is connected, although one must acknowledge, or the server has no free
        ///     connection or does not answer in time;
        ///   - `unknownFormat` if the tables are of another version of this library.
        public func connect() throws(ActionLogError) -> any ActionLogConnection {
            guard let options = ConnectionOptions(server.connectionString), !options.isAmbiguous else {
                throw ActionLogError(
                    .refused,
                    in: name,
                    "libpq cannot parse the connection string. In a URI, escape special characters of a password: / by "
                        + "%2F, @ by %40."
                )
            }
            guard (1...63).contains(schema.name.utf8.count), !schema.name.utf8.contains(0) else {
                throw ActionLogError(.refused, in: name, "The name of the schema must have 1 to 63 bytes, without NUL.")
            }
            do throws(PostgresFailure) {
                let client = try PostgresClient(
                    options,
                    timeout: server.connectionTimeout,
                    statementTimeout: server.statementTimeout,
                    isStandbyAwaited: server.acknowledgement == .standby
                )
                let session = PostgresSession(client, server, schema)
                let settings = try session.prepare()
                let identity = try session.open(stream)
                return PostgresLogConnection(client, name: name, schema, identity, server.acknowledgement, settings)
            } catch {
                throw error.error(in: name)
            }
        }
    }
#endif
