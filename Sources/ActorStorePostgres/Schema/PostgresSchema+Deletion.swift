#if Postgres
    /// The functions that finish snapshots, and delete the entries before them.
    extension PostgresSchema {
        /// Makes a snapshot visible to other connections. The caller deletes the parts if it is refused: writers would
        /// wait here while many are deleted.
        var finish: String {
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
                        ELSE
                            result := 'incomplete';
                        END IF;
                    END IF;
                END
                """
            )
        }

        /// Deletes parts of one snapshot that is not finished, or of all of them, that were written before a time, or
        /// at any time. Returns the number of deleted parts.
        ///
        /// A call to finish the snapshot may still be waiting for its commit, although its connection was given up. The
        /// lock waits for it, and the deletion, as a later statement, then sees the snapshot.
        var discardParts: String {
            let unfinished = """
                p.stream = log AND (snapshot_id IS NULL OR p.snapshot = snapshot_id)
                    AND (written_before IS NULL OR p.written < written_before)
                    AND NOT EXISTS (SELECT FROM $schema.snapshots s WHERE s.stream = log AND s.id = p.snapshot)
                """
            return function(
                """
                discard_parts(
                    log uuid, snapshot_id uuid, written_before timestamptz, most bigint, OUT discarded bigint
                )
                """,
                """
                BEGIN
                    discarded := 0;
                    IF EXISTS (SELECT FROM $schema.snapshot_parts p WHERE \(unfinished)) THEN
                        PERFORM FROM $schema.streams WHERE identity = log FOR NO KEY UPDATE;
                        DELETE FROM $schema.snapshot_parts
                        WHERE stream = log AND (snapshot, number) IN (
                            SELECT p.snapshot, p.number FROM $schema.snapshot_parts p WHERE \(unfinished) LIMIT most
                        );
                        GET DIAGNOSTICS discarded = ROW_COUNT;
                    END IF;
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
        var deleteTrimmed: String {
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
                    SELECT discarded INTO deleted
                    FROM $schema.discard_parts(log, NULL, clock_timestamp() - interval '1 day', 16);
                    is_unfinished := is_unfinished OR deleted > 0;
                END
                """
            )
        }

        /// Moves the boundary up to which entries are trimmed. Returns whether it moved.
        var advanceTrimmed: String {
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
    }
#endif
