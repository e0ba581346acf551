#if Postgres
    import ActorStorePersistence
    import Foundation

    extension PostgresLogConnection {
        func snapshots() throws(ActionLogError) -> [ActionLogSnapshot] {
            let result = try perform(.snapshots, [.uuid(identity)])
            return try take { () throws(PostgresFailure) in
                var snapshots: [ActionLogSnapshot] = []
                for row in 0..<result.count {
                    snapshots.append(
                        ActionLogSnapshot(
                            at: try point(result, row, from: 0),
                            id: try result.uuid(row, 3),
                            header: try result.text(row, 4),
                            parts: Int(clamping: try result.number(row, 5))
                        )
                    )
                }
                return snapshots
            }
        }

        func part(_ number: Int, of snapshot: ActionLogSnapshot) throws(ActionLogError) -> Data? {
            let result = try perform(.part, [.uuid(identity), .uuid(snapshot.id), .number(Int64(number))])
            return try take { () throws(PostgresFailure) in result.count == 0 ? nil : try result.data(0, 0) }
        }

        func write(_ part: Data, _ number: Int, of snapshot: ActionLogSnapshot) throws(ActionLogError) {
            guard part.count <= Self.partLimit else {
                throw ActionLogError(
                    .tooLarge,
                    in: name,
                    "A snapshot part of \(part.count) bytes exceeds the limit of \(Self.partLimit). Use smaller parts."
                )
            }
            _ = try perform(
                .write,
                [.uuid(identity), .uuid(snapshot.id), .number(Int64(number)), .bytes(part)]
            )
        }

        /// The maximum number of bytes of a part. The server holds all of them in memory.
        private static var partLimit: Int { 256 << 20 }

        func finish(_ snapshot: ActionLogSnapshot) throws(ActionLogError) -> Bool {
            let point = snapshot.point
            let result = try perform(
                .finish,
                [
                    .uuid(identity), .uuid(snapshot.id), .number(clamping: point.position),
                    .text(orNull: point.identity?.origin),
                    point.identity.map { .number(clamping: $0.number) } ?? .null, .text(snapshot.header),
                    .number(Int64(snapshot.parts)),
                ]
            )
            let (outcome, place) = try take { () throws(PostgresFailure) in
                (try result.text(0, 0), result.isNull(0, 1) ? 0 : try result.number(0, 1))
            }
            if ["late", "trimmed", "lost"].contains(outcome) { try? discard(snapshot) }
            switch outcome {
            case "finished": return true
            case "late": return false
            case "trimmed": throw isTrimmed(point.position, through: place)
            case "lost": throw isLost(point.position)
            case "incomplete": throw snapshot.isIncomplete(in: name)
            default: throw isMissing
            }
        }

        func discard(_ snapshot: ActionLogSnapshot) throws(ActionLogError) {
            // In steps of about 16 MiB, between which appends of other connections get the lock of the stream.
            let most: UInt64 = 64
            var discarded = most
            while discarded == most {
                let result = try perform(.discard, [.uuid(identity), .uuid(snapshot.id), .number(clamping: most)])
                discarded = try take { () throws(PostgresFailure) in try result.number(0, 0) }
            }
        }

        func discardUnfinished() throws(ActionLogError) -> Bool {
            let result = try perform(.discardUnfinished, [.uuid(identity)])
            return try take { () throws(PostgresFailure) in try result.number(0, 0) } > 0
        }

        func trim(through position: UInt64) throws(ActionLogError) -> Bool {
            let result = try perform(
                .trim,
                [.uuid(identity), .number(clamping: position), .number(clamping: deletedThrough)]
            )
            let isUnfinished: Bool
            (deletedThrough, isUnfinished) = try take { () throws(PostgresFailure) in
                (try result.number(0, 0), try result.flag(0, 1))
            }
            return isUnfinished
        }
    }
#endif
