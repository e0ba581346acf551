#if Postgres
    /// The statements of a log. Each connection prepares them once.
    enum PostgresStatement: String {
        case status, lastNumber, identity, append, read, end, notify
        case snapshots, part, write, finish, discard, discardUnfinished, trim
        case claim, release, report, presences

        func command(in schema: PostgresSchema, _ parameters: [PostgresValue]) -> PostgresCommand {
            PostgresCommand(name: rawValue, text: text(schema.quoted), parameters: parameters)
        }

        private func text(_ schema: String) -> String {
            switch self {
            case .status:
                """
                SELECT identity, trimmed_position, last_position, last_origin, last_number
                FROM \(schema).streams WHERE identity = $1::uuid
                """
            case .lastNumber: "SELECT number FROM \(schema).origins WHERE stream = $1::uuid AND origin = $2::text"
            case .identity:
                """
                SELECT s.trimmed_position, s.trimmed_origin, s.trimmed_number, e.origin, e.number
                FROM \(schema).streams s
                LEFT JOIN \(schema).entries e ON e.stream = s.identity AND e.position = $2::bigint
                WHERE s.identity = $1::uuid
                """
            case .append:
                """
                SELECT result, place FROM \(schema).append(
                    $1::uuid, $2::text, $3::bigint, $4::boolean, $5::text[], $6::bytea[],
                    $7::boolean, $8::bigint, $9::text, $10::bigint, $11::text, $12::bigint, $13::boolean
                )
                """
            case .read:
                """
                SELECT place, origin, number, header, payload
                FROM \(schema).read($1::uuid, $2::bigint, $3::bigint)
                """
            case .end: "SELECT last_position FROM \(schema).streams WHERE identity = $1::uuid"
            case .notify: "SELECT pg_notify($1::text, '')"
            case .snapshots:
                """
                SELECT position, origin, number, id, header, parts
                FROM \(schema).snapshots WHERE stream = $1::uuid ORDER BY position DESC
                """
            case .part:
                """
                SELECT bytes FROM \(schema).snapshot_parts
                WHERE stream = $1::uuid AND snapshot = $2::uuid AND number = $3::bigint
                """
            case .write:
                """
                INSERT INTO \(schema).snapshot_parts (stream, snapshot, number, bytes)
                VALUES ($1::uuid, $2::uuid, $3::bigint, $4::bytea)
                ON CONFLICT (stream, snapshot, number)
                DO UPDATE SET bytes = excluded.bytes, written = excluded.written
                """
            case .finish:
                """
                SELECT result, place FROM \(schema).finish(
                    $1::uuid, $2::uuid, $3::bigint, $4::text, $5::bigint, $6::text, $7::bigint
                )
                """
            case .discard:
                "SELECT discarded FROM \(schema).discard_parts($1::uuid, $2::uuid, NULL, $3)"
            case .discardUnfinished:
                "SELECT discarded FROM \(schema).discard_parts($1::uuid, NULL, NULL, 16)"
            case .trim:
                """
                SELECT deleted_through, is_unfinished
                FROM \(schema).delete_trimmed($1::uuid, $2::bigint, $3::bigint)
                """
            case .claim:
                """
                SELECT granted, held_by
                FROM \(schema).claim_after(
                    $1::uuid, $2::text, $3::text, $4::bigint, $5::boolean, $6::bigint, $7::bigint
                )
                """
            case .release:
                """
                UPDATE \(schema).leases SET ends = clock_timestamp()
                WHERE stream = $1::uuid AND name = $2::text AND token = $3::bigint AND holder = $4::text
                """
            case .report: "SELECT \(schema).report($1::uuid, $2::text, $3::bigint)"
            case .presences:
                """
                SELECT origin, position FROM \(schema).replicas
                WHERE stream = $1::uuid AND reported >= clock_timestamp() - $2::bigint * interval '1 microsecond'
                """
            }
        }
    }
#endif
