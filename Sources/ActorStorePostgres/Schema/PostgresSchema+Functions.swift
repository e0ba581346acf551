#if Postgres
    extension PostgresSchema {
        /// The functions on the server, in the order of their dependencies.
        ///
        /// They return a word for the outcome instead of an error, so that the caller can distinguish it from the
        /// server's own errors. `missing` means that the stream does not exist.
        var functions: [String] {
            [open, outcome, append, read, finish, deleteTrimmed, advanceTrimmed, claim, report]
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

        /// Makes a snapshot visible to other connections.
        private var finish: String {
            function(
                """
                finish(
                    log uuid, snapshot_id uuid, seen_position bigint, seen_origin text, seen_number bigint,
                    snapshot_header text, part_count bigint, OUT result text, OUT place bigint
                )
                """,
                """
                DECLARE
                    current $schema.streams;
                    newest $schema.snapshots;
                BEGIN
                    SELECT * INTO current FROM $schema.streams WHERE identity = log FOR NO KEY UPDATE;
                    IF NOT FOUND THEN
                        result := 'missing';
                        RETURN;
                    END IF;
                    SELECT * INTO newest FROM $schema.snapshots WHERE stream = log ORDER BY position DESC LIMIT 1;
                    -- The answer was lost, and the caller repeats the call.
                    IF newest.id = snapshot_id THEN
                        result := 'finished';
                        RETURN;
                    END IF;
                    result := $schema.outcome(current, seen_position, seen_origin, seen_number);
                    place := current.trimmed_position;
                    IF result = 'kept' THEN
                        IF newest.position >= seen_position THEN
                            result := 'late';
                        ELSIF part_count = (
                            SELECT count(*) FROM $schema.snapshot_parts
                            WHERE stream = log AND snapshot = snapshot_id AND number >= 0 AND number < part_count
                        ) THEN
                            INSERT INTO $schema.snapshots (stream, position, id, origin, number, header, parts)
                            VALUES (
                                log, seen_position, snapshot_id, seen_origin, seen_number, snapshot_header, part_count
                            );
                            result := 'finished';
                            RETURN;
                        ELSE
                            result := 'incomplete';
                            RETURN;
                        END IF;
                    END IF;
                    -- Except those of a snapshot that is already visible.
                    DELETE FROM $schema.snapshot_parts
                    WHERE stream = log AND snapshot = snapshot_id
                        AND NOT EXISTS (SELECT FROM $schema.snapshots WHERE stream = log AND id = snapshot_id);
                END
                """
            )
        }

        /// Deletes some of the trimmed rows after a position. Returns the position after which the next call continues,
        /// and whether there is more to delete.
        ///
        /// The first call only moves the boundary, so that writers do not wait while rows are deleted. Each call
        /// continues where the previous one ended: deleted rows stay in the index until the server has vacuumed it,
        /// which an older running transaction prevents. A call deletes up to 1,000 entries and 16 MiB, or one entry:
        /// the server stores a large payload in many rows, and must not take longer than the timeout of a statement.
        private var deleteTrimmed: String {
            function(
                """
                delete_trimmed(
                    log uuid, last_wanted bigint, after bigint, OUT deleted_through bigint, OUT is_unfinished boolean
                )
                """,
                """
                DECLARE
                    boundary bigint;
                    oldest bigint;
                    entry record;
                    total bigint := 0;
                    deleted bigint;
                BEGIN
                    deleted_through := after;
                    is_unfinished := true;
                    IF $schema.advance_trimmed(log, last_wanted) THEN
                        RETURN;
                    END IF;
                    -- Deletions that a crash undoes are repeated by the next connection. Appends do not wait for their sync.
                    PERFORM set_config('synchronous_commit', 'off', true);
                    SELECT trimmed_position INTO boundary FROM $schema.streams WHERE identity = log;
                    -- A range, because the planner may have no statistics of a new table: it would sort all entries
                    -- up to the boundary to find the first ones.
                    SELECT e.position INTO oldest FROM $schema.entries e
                    WHERE e.stream = log AND e.position > after AND e.position <= boundary
                    ORDER BY e.position LIMIT 1;
                    IF oldest IS NULL THEN
                        deleted_through := greatest(after, boundary);
                    ELSE
                        FOR entry IN
                            SELECT e.position, octet_length(e.header) + octet_length(e.payload) AS size
                            FROM $schema.entries e
                            WHERE e.stream = log AND e.position BETWEEN oldest AND least(oldest + 999, boundary)
                            ORDER BY e.position
                        LOOP
                            EXIT WHEN total > 0 AND total + entry.size > 16777216;
                            total := total + entry.size;
                            deleted_through := entry.position;
                        END LOOP;
                        DELETE FROM $schema.entries e
                        WHERE e.stream = log AND e.position BETWEEN oldest AND deleted_through;
                    END IF;
                    is_unfinished := coalesce(deleted_through < boundary, false);
                    IF EXISTS (
                        SELECT FROM $schema.snapshot_parts p
                        WHERE p.stream = log AND p.written < clock_timestamp() - interval '1 day'
                            AND NOT EXISTS (SELECT FROM $schema.snapshots s WHERE s.stream = log AND s.id = p.snapshot)
                    ) THEN
                        -- Prevents that the snapshot is finished at the same time.
                        PERFORM FROM $schema.streams WHERE identity = log FOR NO KEY UPDATE;
                        DELETE FROM $schema.snapshot_parts
                        WHERE stream = log AND (snapshot, number) IN (
                            SELECT p.snapshot, p.number FROM $schema.snapshot_parts p
                            WHERE p.stream = log AND p.written < clock_timestamp() - interval '1 day'
                                AND NOT EXISTS (
                                    SELECT FROM $schema.snapshots s WHERE s.stream = log AND s.id = p.snapshot
                                )
                            LIMIT 16
                        );
                        GET DIAGNOSTICS deleted = ROW_COUNT;
                        is_unfinished := is_unfinished OR deleted > 0;
                    END IF;
                END
                """
            )
        }

        /// Moves the boundary up to which entries are trimmed. Returns whether it moved.
        private var advanceTrimmed: String {
            function(
                "advance_trimmed(log uuid, last_wanted bigint)",
                returns: "RETURNS boolean",
                """
                DECLARE
                    current $schema.streams;
                    boundary bigint;
                BEGIN
                    SELECT * INTO current FROM $schema.streams WHERE identity = log;
                    IF NOT FOUND OR least(last_wanted, current.last_position) <= current.trimmed_position THEN
                        RETURN false;
                    END IF;
                    SELECT * INTO current FROM $schema.streams WHERE identity = log FOR NO KEY UPDATE;
                    boundary := least(last_wanted, current.last_position);
                    IF boundary <= current.trimmed_position THEN
                        RETURN false;
                    END IF;
                    UPDATE $schema.streams
                    SET trimmed_position = boundary, trimmed_origin = e.origin, trimmed_number = e.number
                    FROM $schema.entries e
                    WHERE identity = log AND e.stream = log AND e.position = boundary;
                    IF NOT FOUND THEN
                        RAISE EXCEPTION 'Entry % is not there, although the log says so.', boundary
                            USING ERRCODE = 'data_corrupted';
                    END IF;
                    -- The parts are then without a snapshot; the next calls delete them.
                    UPDATE $schema.snapshot_parts SET written = '-infinity'
                    WHERE stream = log AND snapshot IN (
                        SELECT id FROM $schema.snapshots WHERE stream = log AND position < boundary
                    );
                    DELETE FROM $schema.snapshots WHERE stream = log AND position < boundary;
                    RETURN true;
                END
                """
            )
        }

        /// Grants or renews a lease, or returns the current one.
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
                claim(
                    log uuid, lease_name text, new_holder text, microseconds bigint, is_new boolean, renewed bigint,
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
                        floor(extract(epoch FROM moment) * 1000)::bigint, (greatest(last, lease.token, 0) >> 20) + 1
                    );
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
