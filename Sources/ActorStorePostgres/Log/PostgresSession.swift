#if Postgres
    import ActorStorePersistence
    import Foundation

    /// What is done once in a new connection: settings, checks, tables.
    struct PostgresSession {
        private let client: PostgresClient
        private let server: PostgresServer
        private let schema: PostgresSchema

        init(_ client: PostgresClient, _ server: PostgresServer, _ schema: PostgresSchema) {
            self.client = client
            self.server = server
            self.schema = schema
        }

        /// Makes the settings of the session, and checks those of the server.
        func prepare() throws(PostgresFailure) {
            guard client.serverVersion >= 130_000 else {
                throw .unsafe("The server is older than PostgreSQL 13. Use a later one.")
            }
            try set()
            let settings = try client.perform([PostgresCommand(text: Self.check)])
            let encoding = try settings.text(0, 2)
            guard encoding == "UTF8" else {
                throw .unsafe(
                    "The database has the encoding \(encoding), which cannot keep all texts. Create one with UTF8."
                )
            }
            let (isSynced, hasFullPages) = (try settings.text(0, 0) == "on", try settings.text(0, 1) == "on")
            guard isSynced && hasFullPages || server.allowsLoss else {
                throw .unsafe(
                    "The server's setting \(isSynced ? "full_page_writes" : "fsync") is off: a power cut can "
                        + "destroy what was acknowledged. Turn it on."
                )
            }
            guard server.acknowledgement == .standby else { return }
            guard try settings.text(0, 3) != "" else { throw .withoutStandby }
            guard try settings.flag(0, 4) else {
                throw .busy(
                    "No synchronous standby is connected to the server, which acknowledges nothing until there is one."
                )
            }
        }

        private func set() throws(PostgresFailure) {
            let milliseconds = max(1, Int64(min(server.statementTimeout, .seconds(86_400 * 7)) / .milliseconds(1)))
            let settings = [
                // `on` waits until the standby has it on its disk; that it can also be read there, as with
                // `remote_apply`, is of no use to a log, which reads from the primary.
                ("synchronous_commit", server.acknowledgement == .standby ? "on" : "local"),
                ("statement_timeout", "\(milliseconds)"),
                ("lock_timeout", "\(milliseconds)"),
                ("idle_in_transaction_session_timeout", "\(milliseconds)"),
                ("default_transaction_isolation", "read committed"),
                ("standard_conforming_strings", "on"),
                // Warnings say that a standby was not waited for.
                ("client_min_messages", "warning"),
                // So that nothing else is called than what is meant; tables have the schema's name.
                ("search_path", "pg_catalog"),
            ]
            _ = try client.perform(
                settings.map { name, value in
                    PostgresCommand(
                        text: "SELECT set_config($1::text, $2::text, false)",
                        parameters: [.text(name), .text(value)]
                    )
                }
            )
        }

        /// A user without the right to see it sees that there is a standby, but not whether it is a synchronous one.
        private static let check = """
            SELECT current_setting('fsync'), current_setting('full_page_writes'), current_setting('server_encoding'),
                current_setting('synchronous_standby_names'),
                EXISTS (SELECT FROM pg_stat_replication WHERE coalesce(sync_state, 'sync') IN ('sync', 'quorum'))
            """

        /// Makes the tables if they are not there, and the stream.
        ///
        /// - Returns: The identity of the stream.
        func open(_ stream: String) throws(PostgresFailure) -> UUID {
            let table = [PostgresValue.text("\(schema.quoted).meta")]
            let presence = PostgresCommand(text: "SELECT to_regclass($1::text) IS NOT NULL", parameters: table)
            if try !client.perform([presence]).flag(0, 0) {
                _ = try client.perform(schema.creation.map { PostgresCommand(text: $0) })
            }
            let version = try client.perform([PostgresCommand(text: "SELECT version FROM \(schema.quoted).meta")])
            guard version.count == 1, try version.signedNumber(0, 0) == PostgresSchema.version else {
                throw .unknownFormat(
                    "The tables in the schema \(schema.name) are of another version of this library. Use that version."
                )
            }
            let opening = PostgresCommand(
                text: "SELECT \(schema.quoted).open($1::text, $2::boolean)",
                parameters: [.text(stream), .flag(server.acknowledgement == .standby)]
            )
            return try client.perform([opening]).uuid(0, 0)
        }
    }

    extension PostgresFailure {
        /// The server does not wait for a standby.
        static let withoutStandby = PostgresFailure.unsafe(
            "The server's setting synchronous_standby_names is empty: it waits for no standby. Set it, or use the "
                + "acknowledgement .primary."
        )
    }
#endif
