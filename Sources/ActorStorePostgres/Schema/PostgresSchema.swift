#if Postgres
    import Foundation

    /// The tables and functions of the logs in one schema of a database.
    ///
    /// A writer of a stream locks its row in `streams`, so that positions have no gaps and become visible in order.
    /// Everything that depends on the stream's contents runs under that lock, in functions, each in one round trip.
    struct PostgresSchema: Sendable {
        /// The version of the tables and functions that this library supports.
        static let version: Int64 = 1

        let name: String

        init(_ name: String) { self.name = name }

        /// The name, quoted for statements.
        var quoted: String { quotedName(name) }

        /// Returns the statements of one transaction that create everything that does not exist yet.
        ///
        /// - Parameter isSchemaThere: Whether the schema exists. To create it, even if it exists, the server demands a
        ///   right to the database, which the owner of the schema need not have.
        func creation(isSchemaThere: Bool) -> [String] {
            [Self.lock] + (isSchemaThere ? [] : ["CREATE SCHEMA IF NOT EXISTS \(quoted)"]) + tables + functions
                + ["INSERT INTO \(quoted).meta (version) VALUES (\(Self.version)) ON CONFLICT DO NOTHING"]
        }

        /// The function by which the functions of this version are recognized: earlier versions did not create it. A
        /// function with other parameters or results needs another name, because both versions can use the schema.
        var newestFunction: String { "\(quoted).discard_parts(uuid, uuid, timestamptz, bigint)" }

        /// The statements of one transaction that create the functions, in place of those of an earlier version.
        var functionCreation: [String] { [Self.lock] + functions }

        /// A concurrent connection waits, and then finds everything. No other code uses this number.
        private static let lock = "SELECT pg_advisory_xact_lock(7164839203318474611)"

        /// The tables. The names in their indices are ordered by bytes: the order of a language differs between
        /// versions of the system's libraries, and an index in another order does not lead to all rows.
        private var tables: [String] {
            [
                """
                CREATE TABLE IF NOT EXISTS \(quoted).meta (
                    is_only boolean PRIMARY KEY DEFAULT true CHECK (is_only),
                    version bigint NOT NULL
                )
                """,
                // Leaves space on each page, so that rows that change with each append stay on it and need no new index
                // entries.
                """
                CREATE TABLE IF NOT EXISTS \(quoted).streams (
                    name text COLLATE "C" PRIMARY KEY,
                    identity uuid NOT NULL UNIQUE DEFAULT gen_random_uuid(),
                    trimmed_position bigint NOT NULL DEFAULT 0,
                    trimmed_origin text,
                    trimmed_number bigint,
                    last_position bigint NOT NULL DEFAULT 0,
                    last_origin text,
                    last_number bigint,
                    last_token bigint NOT NULL DEFAULT 0
                ) WITH (fillfactor = 20)
                """,
                // Entries up to the stream's trimmed position are being deleted, and are not read.
                """
                CREATE TABLE IF NOT EXISTS \(quoted).entries (
                    stream uuid NOT NULL,
                    position bigint NOT NULL,
                    origin text COLLATE "C" NOT NULL,
                    number bigint NOT NULL,
                    header text NOT NULL,
                    payload bytea NOT NULL,
                    PRIMARY KEY (stream, position),
                    UNIQUE (stream, origin, number)
                )
                """,
                // Not compressed by the server, which is slow and would make other connections wait for the stream.
                "ALTER TABLE \(quoted).entries ALTER COLUMN payload SET STORAGE EXTERNAL",
                // The number of the newest entry of each origin. It remains when the entry is trimmed.
                """
                CREATE TABLE IF NOT EXISTS \(quoted).origins (
                    stream uuid NOT NULL,
                    origin text COLLATE "C" NOT NULL,
                    number bigint NOT NULL,
                    PRIMARY KEY (stream, origin)
                ) WITH (fillfactor = 50)
                """,
                """
                CREATE TABLE IF NOT EXISTS \(quoted).snapshots (
                    stream uuid NOT NULL,
                    position bigint NOT NULL,
                    id uuid NOT NULL,
                    origin text,
                    number bigint,
                    header text NOT NULL,
                    parts bigint NOT NULL,
                    PRIMARY KEY (stream, position),
                    UNIQUE (stream, id)
                )
                """,
                """
                CREATE TABLE IF NOT EXISTS \(quoted).snapshot_parts (
                    stream uuid NOT NULL,
                    snapshot uuid NOT NULL,
                    number bigint NOT NULL,
                    bytes bytea NOT NULL,
                    written timestamptz NOT NULL DEFAULT clock_timestamp(),
                    PRIMARY KEY (stream, snapshot, number)
                )
                """,
                "ALTER TABLE \(quoted).snapshot_parts ALTER COLUMN bytes SET STORAGE EXTERNAL",
                """
                CREATE TABLE IF NOT EXISTS \(quoted).leases (
                    stream uuid NOT NULL,
                    name text COLLATE "C" NOT NULL,
                    token bigint NOT NULL,
                    holder text NOT NULL,
                    ends timestamptz NOT NULL,
                    PRIMARY KEY (stream, name)
                )
                """,
                """
                CREATE TABLE IF NOT EXISTS \(quoted).replicas (
                    stream uuid NOT NULL,
                    origin text COLLATE "C" NOT NULL,
                    position bigint NOT NULL,
                    reported timestamptz NOT NULL,
                    PRIMARY KEY (stream, origin)
                )
                """,
            ]
        }

        /// Returns the statement that creates a function in PL/pgSQL. `$schema` in its body stands for the schema's
        /// name.
        func function(_ signature: String, returns: String = "", is volatility: String = "VOLATILE", _ body: String)
            -> String
        {
            let text = body.replacingOccurrences(of: "$schema", with: quoted)
            return "CREATE OR REPLACE FUNCTION \(quoted).\(signature.replacingOccurrences(of: "$schema", with: quoted))"
                + " \(returns) LANGUAGE plpgsql \(volatility) AS \(quotedText(text))"
        }
    }

    /// Returns a name, quoted for statements.
    private func quotedName(_ name: String) -> String {
        "\"\(name.replacingOccurrences(of: "\"", with: "\"\""))\""
    }

    /// Returns a text, quoted for statements. The session has `standard_conforming_strings`.
    private func quotedText(_ text: String) -> String {
        "'\(text.replacingOccurrences(of: "'", with: "''"))'"
    }
#endif
