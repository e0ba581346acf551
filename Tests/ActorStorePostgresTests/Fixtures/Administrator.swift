#if Postgres
    import CPostgres
    import Foundation

    /// A plain connection with which a test changes or queries a server.
    final class Administrator {
        private let connection: OpaquePointer

        init(_ connectionString: String) throws {
            guard let connection = PQconnectdb(connectionString + " connect_timeout=5") else {
                throw FixtureFailure("There is no memory.")
            }
            self.connection = connection
            guard PQstatus(connection) == CONNECTION_OK else {
                throw FixtureFailure(String(cString: PQerrorMessage(connection)))
            }
        }

        deinit { PQfinish(connection) }

        /// Runs statements.
        ///
        /// - Returns: The rows of the last one, as texts.
        @discardableResult
        func run(_ statements: String) throws -> [[String?]] {
            let result = PQexec(connection, statements)
            defer { PQclear(result) }
            guard [PGRES_TUPLES_OK, PGRES_COMMAND_OK].contains(PQresultStatus(result)) else {
                throw FixtureFailure(String(cString: PQerrorMessage(connection)))
            }
            return (0..<PQntuples(result)).map { row in
                (0..<PQnfields(result)).map { column in
                    PQgetisnull(result, row, column) == 1 ? nil : String(cString: PQgetvalue(result, row, column))
                }
            }
        }

        /// Repeats a statement until it returns a given text.
        func wait(for text: String, from statement: String) throws {
            let end = ContinuousClock.now + .seconds(60)
            while try run(statement).first?.first != text {
                guard ContinuousClock.now < end else { throw FixtureFailure("\(statement) does not become \(text).") }
                usleep(10_000)
            }
        }
    }

    extension Administrator {
        /// Makes a stream lose its entries after a position, like a server that comes back with an older state of all
        /// tables.
        func loseEnd(of stream: String, after position: UInt64) throws {
            try run(
                """
                SET search_path = actor_store;
                DO $do$
                DECLARE
                    kept bigint := \(position);
                    s streams;
                BEGIN
                    SELECT * INTO s FROM streams WHERE name = '\(stream)' FOR UPDATE;
                    IF kept >= s.last_position OR kept < s.trimmed_position THEN RETURN; END IF;
                    UPDATE origins o SET number = lost.first - 1
                    FROM (
                        SELECT origin, min(number) AS first FROM entries
                        WHERE stream = s.identity AND position > kept GROUP BY origin
                    ) lost
                    WHERE o.stream = s.identity AND o.origin = lost.origin;
                    DELETE FROM origins WHERE stream = s.identity AND number = 0;
                    DELETE FROM entries WHERE stream = s.identity AND position > kept;
                    DELETE FROM snapshot_parts WHERE stream = s.identity
                        AND snapshot IN (SELECT id FROM snapshots WHERE stream = s.identity AND position > kept);
                    DELETE FROM snapshots WHERE stream = s.identity AND position > kept;
                    DELETE FROM leases WHERE stream = s.identity;
                    UPDATE streams SET last_position = trimmed_position, last_origin = trimmed_origin,
                        last_number = trimmed_number, last_token = 0 WHERE identity = s.identity;
                    UPDATE streams SET last_position = e.position, last_origin = e.origin, last_number = e.number
                    FROM entries e WHERE identity = s.identity AND e.stream = s.identity AND e.position = kept
                        AND kept > s.trimmed_position;
                END
                $do$
                """
            )
        }
    }
#endif
