#if Postgres
    public import ActorStorePersistence
    import Foundation

    /// A log in a PostgreSQL database, for stores on one machine or on many.
    ///
    /// ```swift
    /// let log = PostgresLog(PostgresServer("host=db.example dbname=shop sslmode=verify-full"), stream: "stock")
    /// let connection = try log.connect()
    /// ```
    ///
    /// Any number of streams can be in one database. The tables are made when the first of them is used, in a schema of
    /// their own; a user without the right to make them can use tables that another one has made, given the rights to read
    /// and write them and to call the functions beside them. The database has to be one of UTF-8, of PostgreSQL 13 or later.
    ///
    /// A group of entries is one transaction, in which the stream's row is locked, so that positions have no gaps and become
    /// visible in their order. When it is acknowledged it is as safe as ``PostgresServer/acknowledgement`` says.
    public struct PostgresLog: ActionLog {
        /// The stream, the hosts and the database.
        public let name: String
        private let server: PostgresServer
        private let stream: String
        private let schema: PostgresSchema

        /// Creates a log; nothing is connected yet.
        ///
        /// - Parameters:
        ///   - server: The server that has it.
        ///   - stream: The name of the log among those in the schema.
        ///   - schema: The name of the schema of the database that has the tables, of 63 bytes at most.
        public init(_ server: PostgresServer, stream: String, schema: String = "actor_store") {
            self.server = server
            self.stream = stream
            self.schema = PostgresSchema(schema)
            name = "\(stream) at \(server)"
        }

        /// Connects to the server, checks its settings, and makes what is not there of schema, tables and stream.
        ///
        /// It blocks, for as long as ``PostgresServer/connectionTimeout`` says for each host, and for looking up its name;
        /// then for a few calls.
        ///
        /// - Throws: ``ActionLogError/Code/disconnected`` if there is no server, or only a standby;
        ///   ``ActionLogError/Code/refused`` if it does not let the program in, or its certificate is not accepted;
        ///   ``ActionLogError/Code/unsafe`` if it cannot hold what ``PostgresServer/acknowledgement`` asks for;
        ///   ``ActionLogError/Code/unknownFormat`` if there are tables of a later version of this library.
        public func connect() throws(ActionLogError) -> any ActionLogConnection {
            guard let options = ConnectionOptions(server.connectionString), !options.isAmbiguous else {
                throw ActionLogError(
                    .refused,
                    in: name,
                    "The connection string is none of libpq's. In a URI, escape what is special in a password: / by %2F, @ by %40."
                )
            }
            guard (1...63).contains(schema.name.utf8.count), !schema.name.utf8.contains(0) else {
                throw ActionLogError(.refused, in: name, "The name of a schema has 1 to 63 bytes, and no NUL.")
            }
            do throws(PostgresFailure) {
                let client = try PostgresClient(
                    options,
                    timeout: server.connectionTimeout,
                    statementTimeout: server.statementTimeout,
                    isStandbyAwaited: server.acknowledgement == .standby
                )
                let session = PostgresSession(client, server, schema)
                try session.prepare()
                let identity = try session.open(stream)
                return PostgresLogConnection(client, name: name, schema, identity, server.acknowledgement)
            } catch {
                throw error.error(in: name)
            }
        }
    }
#endif
