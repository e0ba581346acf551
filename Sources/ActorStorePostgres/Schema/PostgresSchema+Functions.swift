#if Postgres
    extension PostgresSchema {
        /// The functions on the server, in the order of their dependencies.
        ///
        /// They return a word for the outcome instead of an error, so that the caller can distinguish it from the
        /// server's own errors. `missing` means that the stream does not exist.
        var functions: [String] {
            [
                open, outcome, append, read, finish, discardParts, deleteTrimmed, advanceTrimmed, claim, formerClaim,
                report,
            ]
        }

        /// Returns the identity of a stream, and creates the stream if it does not exist.
        ///
        /// If a standby is awaited, the lock makes this a writing transaction, whose commit waits until the standby has
        /// everything that was written before. That includes entries that an earlier connection wrote without an
        /// acknowledgement: a caller that finds them would consider them acknowledged.
        private var open: String {
            function(
                "open(stream_name text, is_standby_awaited boolean)",
                returns: "RETURNS uuid",
                """
                DECLARE
                    found uuid;
                BEGIN
                    SELECT identity INTO found FROM $schema.streams WHERE name = stream_name;
                    IF found IS NULL THEN
                        INSERT INTO $schema.streams (name) VALUES (stream_name) ON CONFLICT (name) DO NOTHING;
                        SELECT identity INTO found FROM $schema.streams WHERE name = stream_name;
                    END IF;
                    IF is_standby_awaited THEN
                        PERFORM FROM $schema.streams WHERE identity = found FOR NO KEY UPDATE;
                    END IF;
                    RETURN found;
                END
                """
            )
        }

        /// Returns whether a stream still has an entry that a writer has seen: `kept`, `trimmed` or `lost`.
        private var outcome: String {
            function(
                "outcome(current $schema.streams, seen_position bigint, seen_origin text, seen_number bigint)",
                returns: "RETURNS text",
                """
                DECLARE
                    known_origin text;
                    known_number bigint;
                BEGIN
                    IF seen_position = 0 AND seen_origin IS NULL THEN
                        RETURN 'kept';
                    ELSIF seen_position < current.trimmed_position THEN
                        RETURN 'trimmed';
                    ELSIF seen_position = current.last_position THEN
                        known_origin := current.last_origin;
                        known_number := current.last_number;
                    ELSIF seen_position = current.trimmed_position THEN
                        known_origin := current.trimmed_origin;
                        known_number := current.trimmed_number;
                    ELSE
                        SELECT e.origin, e.number INTO known_origin, known_number
                        FROM $schema.entries e WHERE e.stream = current.identity AND e.position = seen_position;
                    END IF;
                    IF (known_origin, known_number) IS DISTINCT FROM (seen_origin, seen_number) THEN
                        RETURN 'lost';
                    END IF;
                    RETURN 'kept';
                END
                """
            )
        }

        /// Appends a group and returns the position of its first entry, or returns why the condition is not met.
        ///
        /// The lock also makes a refusal a writing transaction: the answer that the log already has the numbers arrives
        /// only when the standby has them.
        private var append: String {
            function(
                """
                append(
                    log uuid, new_origin text, first_number bigint, is_gapless boolean,
                    headers text[], payloads bytea[],
                    is_at_end boolean, seen_position bigint, seen_origin text, seen_number bigint,
                    lease_name text, lease_token bigint, is_standby_awaited boolean,
                    OUT result text, OUT place bigint
                )
                """,
                """
                DECLARE
                    current $schema.streams;
                    last_known bigint;
                    size bigint := cardinality(headers);
                BEGIN
                    SELECT * INTO current FROM $schema.streams WHERE identity = log FOR NO KEY UPDATE;
                    IF NOT FOUND THEN
                        result := 'missing';
                        RETURN;
                    END IF;
                    -- The setting can change while the server runs.
                    IF is_standby_awaited AND current_setting('synchronous_standby_names') = '' THEN
                        result := 'unsafe';
                        RETURN;
                    END IF;
                    IF lease_name IS NOT NULL AND NOT EXISTS (
                        SELECT FROM $schema.leases l
                        WHERE l.stream = log AND l.name = lease_name AND l.token = lease_token
                    ) THEN
                        result := 'fenced';
                        RETURN;
                    END IF;
                    result := $schema.outcome(current, seen_position, seen_origin, seen_number);
                    IF result <> 'kept' THEN
                        place := current.trimmed_position;
                        RETURN;
                    END IF;
                    IF is_at_end AND (seen_position, seen_origin, seen_number)
                        IS DISTINCT FROM (current.last_position, current.last_origin, current.last_number)
                    THEN
                        result := 'later';
                        place := current.last_position;
                        RETURN;
                    END IF;
                    SELECT o.number INTO last_known
                    FROM $schema.origins o WHERE o.stream = log AND o.origin = new_origin;
                    last_known := coalesce(last_known, 0);
                    IF first_number <> last_known + 1 OR NOT is_gapless THEN
                        result := 'number';
                        place := last_known + 1;
                        RETURN;
                    END IF;
                    INSERT INTO $schema.entries (stream, position, origin, number, header, payload)
                    SELECT log, current.last_position + n, new_origin, last_known + n, header, payload
                    FROM unnest(headers, payloads) WITH ORDINALITY AS added (header, payload, n);
                    INSERT INTO $schema.origins AS o (stream, origin, number)
                    VALUES (log, new_origin, last_known + size)
                    ON CONFLICT (stream, origin) DO UPDATE SET number = excluded.number;
                    UPDATE $schema.streams
                    SET last_position = current.last_position + size, last_origin = new_origin,
                        last_number = last_known + size
                    WHERE identity = log;
                    result := 'appended';
                    place := current.last_position + 1;
                END
                """
            )
        }

        /// Returns the entries after a position, up to a size. A row without a position contains the position up to
        /// which the log is trimmed.
        ///
        /// The function is stable, so that all rows are of one moment. Sorting is off because the planner may have no
        /// statistics of a new table: it would sort all entries after the position to find the first ones.
        private var read: String {
            function(
                "read(log uuid, after_position bigint, size bigint)",
                returns: "RETURNS TABLE (place bigint, origin text, number bigint, header text, payload bytea)",
                is: "STABLE SET enable_sort TO off",
                """
                #variable_conflict use_column
                DECLARE
                    trimmed bigint;
                    entry record;
                    total bigint := 0;
                BEGIN
                    SELECT trimmed_position INTO trimmed FROM $schema.streams WHERE identity = log;
                    IF trimmed IS NULL OR after_position < trimmed THEN
                        RETURN QUERY SELECT NULL::bigint, NULL::text, trimmed, NULL::text, NULL::bytea;
                        RETURN;
                    END IF;
                    FOR entry IN
                        SELECT e.position, e.origin, e.number, e.header, e.payload,
                            octet_length(e.header) + octet_length(e.payload) AS size
                        FROM $schema.entries e WHERE e.stream = log AND e.position > after_position
                        ORDER BY e.position LIMIT 16384
                    LOOP
                        IF total > 0 AND total + entry.size > read.size THEN
                            RETURN;
                        END IF;
                        total := total + entry.size;
                        place := entry.position;
                        origin := entry.origin;
                        number := entry.number;
                        header := entry.header;
                        payload := entry.payload;
                        RETURN NEXT;
                    END LOOP;
                END
                """
            )
        }

        /// Grants or renews a lease, or returns the current one. Returns a holder without a token if there are no more
        /// tokens.
        ///
        /// A token never repeats, even after a server has taken over that lacks the newest transactions. From the
        /// highest bit, it consists of
        ///
        /// - 43 bits: the milliseconds since 1970 by the server's clock, or one more than those of the stream's last
        ///   token if that is greater (until the year 2248, below 2^63). So tokens grow as long as the row is not lost;
        /// - 8 bits: the server's timeline, which changes with each promotion of a standby and each recovery to a point
        ///   in time. So tokens of a promoted standby differ from lost ones, whatever its clock shows;
        /// - 12 random bits, for events that do not change the timeline: a disk that is set back to an older image, or
        ///   a database that is restored from a dump. There, a clock that runs on is enough. Only if the clock is set
        ///   back as well, to the same millisecond, is there a chance of 1 in 4,096.
        ///
        /// After a fail-over to a server whose clock is behind by more than the duration of the fail-over, a new token
        /// can be smaller than a lost one, but never equal.
        private var claim: String {
            function(
                """
                claim_after(
                    log uuid, lease_name text, new_holder text, microseconds bigint, is_new boolean, renewed bigint,
                    preceding bigint,
                    OUT granted bigint, OUT held_by text
                )
                """,
                """
                DECLARE
                    last bigint;
                    lease $schema.leases;
                    moment timestamptz;
                    until timestamptz;
                    milliseconds bigint;
                    timeline bigint;
                BEGIN
                    SELECT last_token INTO last FROM $schema.streams WHERE identity = log FOR NO KEY UPDATE;
                    IF NOT FOUND THEN
                        RETURN;
                    END IF;
                    -- Not the start of the transaction, which may have waited for the lock since.
                    moment := clock_timestamp();
                    until := moment + microseconds * interval '1 microsecond';
                    SELECT * INTO lease FROM $schema.leases l WHERE l.stream = log AND l.name = lease_name;
                    IF renewed IS NOT NULL THEN
                        IF lease.token = renewed THEN
                            UPDATE $schema.leases l SET ends = until WHERE l.stream = log AND l.name = lease_name;
                        END IF;
                        granted := coalesce(lease.token, 0);
                        held_by := coalesce(lease.holder, '');
                        RETURN;
                    END IF;
                    IF lease.token IS NOT NULL AND moment < lease.ends
                        AND (lease.holder <> new_holder OR NOT is_new) THEN
                        IF lease.holder = new_holder THEN
                            UPDATE $schema.leases l SET ends = until WHERE l.stream = log AND l.name = lease_name;
                        END IF;
                        granted := lease.token;
                        held_by := lease.holder;
                        RETURN;
                    END IF;
                    milliseconds := greatest(
                        floor(extract(epoch FROM moment) * 1000)::bigint,
                        (greatest(last, lease.token, preceding) >> 20) + 1
                    );
                    IF milliseconds >> 43 > 0 THEN
                        held_by := 'exhausted';
                        RETURN;
                    END IF;
                    timeline := ('x' || substr(pg_walfile_name(pg_current_wal_lsn()), 7, 2))::bit(8)::int;
                    granted := (milliseconds << 20) | (timeline << 12) | floor(random() * 4096)::bigint;
                    held_by := new_holder;
                    INSERT INTO $schema.leases (stream, name, token, holder, ends)
                    VALUES (log, lease_name, granted, new_holder, until)
                    ON CONFLICT (stream, name)
                    DO UPDATE SET token = excluded.token, holder = excluded.holder, ends = excluded.ends;
                    UPDATE $schema.streams SET last_token = granted WHERE identity = log;
                END
                """
            )
        }

        /// The function by which programs of earlier versions claim leases.
        private var formerClaim: String {
            function(
                """
                claim(
                    log uuid, lease_name text, new_holder text, microseconds bigint, is_new boolean, renewed bigint,
                    OUT granted bigint, OUT held_by text
                )
                """,
                """
                BEGIN
                    SELECT c.granted, c.held_by INTO granted, held_by
                    FROM $schema.claim_after(log, lease_name, new_holder, microseconds, is_new, renewed, 0) c;
                END
                """
            )
        }

        /// Records the position of a replica, and deletes records that are older than 30 days.
        private var report: String {
            function(
                "report(log uuid, replica text, reached bigint)",
                returns: "RETURNS void",
                """
                BEGIN
                    INSERT INTO $schema.replicas (stream, origin, position, reported)
                    VALUES (log, replica, reached, clock_timestamp())
                    ON CONFLICT (stream, origin)
                    DO UPDATE SET position = excluded.position, reported = excluded.reported;
                    DELETE FROM $schema.replicas
                    WHERE stream = log AND reported < clock_timestamp() - interval '30 days';
                END
                """
            )
        }
    }
#endif
