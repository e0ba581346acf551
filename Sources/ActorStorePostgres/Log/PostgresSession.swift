#if Postgres
    import ActorStorePersistence
    import Foundation

    /// The preparation of a new connection: settings, checks, tables.
    struct PostgresSession {
        private let client: PostgresClient
        private let server: PostgresServer
        private let schema: PostgresSchema

        init(_ client: PostgresClient, _ server: PostgresServer, _ schema: PostgresSchema) {
            self.client = client
            self.server = server
            self.schema = schema
        }

        /// Configures the session, and checks the server's settings.
        ///
        /// - Returns: The settings by their names, for statistics.
        func prepare() throws(PostgresFailure) -> [String: String] {
            guard client.serverVersion >= 130_000 else {
                throw .unsafe("The server is older than PostgreSQL 13. Use version 13 or later.")
            }
            try set()
            let settings = try client.perform([PostgresCommand(text: Self.check)])
            let encoding = try settings.text(0, 2)
            guard encoding == "UTF8" else {
                throw .unsafe(
                    "The database has the encoding \(encoding), which cannot represent all texts. Create one with UTF8."
                )
            }
            let (isSynced, hasFullPages) = (try settings.text(0, 0) == "on", try settings.text(0, 1) == "on")
            guard isSynced && hasFullPages || server.allowsLoss else {
                throw .unsafe(
                    "The server's setting \(isSynced ? "full_page_writes" : "fsync") is off: a power cut can "
                        + "destroy acknowledged entries. Turn it on."
                )
            }
            if server.acknowledgement == .standby {
                guard try settings.text(0, 3) != "" else { throw .withoutStandby }
                guard try settings.flag(0, 4) else {
                    throw .busy(
                        "No synchronous standby is connected to the server, which acknowledges nothing without one."
                    )
                }
            }
            return [
                "server_version": try settings.text(0, 6),
                "fsync": try settings.text(0, 0),
                "full_page_writes": try settings.text(0, 1),
                "synchronous_commit": try settings.text(0, 5),
                "synchronous_standby_names": try settings.text(0, 3),
            ]
        }

        private func set() throws(PostgresFailure) {
            let timeout = min(max(server.statementTimeout, .milliseconds(1)), .seconds(86_400 * 7))
            let milliseconds = Int64(timeout / .milliseconds(1))
            let settings = [
                // `on` waits until the standby has the transaction on disk. `remote_apply` also waits until it can be
                // read there, which does not help a log: it reads from the primary.
                ("synchronous_commit", server.acknowledgement == .standby ? "on" : "local"),
                ("statement_timeout", "\(milliseconds)"),
                ("lock_timeout", "\(milliseconds)"),
                ("idle_in_transaction_session_timeout", "\(milliseconds)"),
                ("default_transaction_isolation", "read committed"),
                ("standard_conforming_strings", "on"),
                // A warning reports that a standby was not awaited.
                ("client_min_messages", "warning"),
                // No object of another schema is found by accident. Tables are qualified by the schema's name.
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

        /// Users without the privilege see that a standby exists, but not whether it is synchronous.
        private static let check = """
            SELECT current_setting('fsync'), current_setting('full_page_writes'), current_setting('server_encoding'),
                current_setting('synchronous_standby_names'),
                EXISTS (SELECT FROM pg_stat_replication WHERE coalesce(sync_state, 'sync') IN ('sync', 'quorum')),
                current_setting('synchronous_commit'), current_setting('server_version')
            """

        /// Creates the tables, the functions and the stream if they do not exist.
        ///
        /// - Returns: The identity of the stream.
        func open(_ stream: String) throws(PostgresFailure) -> UUID {
            let presence = try client.perform(
                [
                    PostgresCommand(
                        text: "SELECT to_regclass($1::text) IS NOT NULL, to_regnamespace($2::text) IS NOT NULL",
                        parameters: [.text("\(schema.quoted).meta"), .text(schema.quoted)]
                    )
                ]
            )
            if try !presence.flag(0, 0) {
                let creation = schema.creation(isSchemaThere: try presence.flag(0, 1))
                _ = try client.perform(creation.map { PostgresCommand(text: $0) })
            }
            let version = try client.perform(
                [
                    PostgresCommand(
                        text: "SELECT version, to_regprocedure($1::text) IS NOT NULL FROM \(schema.quoted).meta",
                        parameters: [.text(schema.newestFunction)]
                    )
                ]
            )
            guard version.count == 1, try version.signedNumber(0, 0) == PostgresSchema.version else {
                throw .unknownFormat(
                    "Another version of this library created the tables in the schema \(schema.name). Use that version."
                )
            }
            if try !version.flag(0, 1) {
                _ = try client.perform(schema.functionCreation.map { PostgresCommand(text: $0) })
            }
            let opening = PostgresCommand(
                text: "SELECT \(schema.quoted).open($1::text, $2::boolean)",
                parameters: [.text(stream), .flag(server.acknowledgement == .standby)]
            )
            let identity = try client.perform([opening], verifyingStandbys: true).uuid(0, 0)
            guard client.waitsForStandbys else { throw .withoutStandby }
            return identity
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
