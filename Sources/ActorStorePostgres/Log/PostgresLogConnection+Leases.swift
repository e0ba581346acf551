#if Postgres
    import ActorStorePersistence

    extension PostgresLogConnection {
        func claim(_ claim: LeaseClaim) throws(ActionLogError) -> ActionLogLease {
            let result = try perform(
                .claim,
                [
                    .uuid(identity), .text(claim.name), .text(claim.holder), .number(claim.duration.microseconds),
                    .flag(claim.isNew), claim.renewedToken.map { .number(clamping: $0) } ?? .null,
                    .number(clamping: claim.precedingToken),
                ]
            )
            guard !result.isNull(0, 0) else {
                guard !result.isNull(0, 1) else { throw isMissing }
                throw ActionLogError(.damaged, in: name, "The log has used up its tokens.")
            }
            return try take { () throws(PostgresFailure) in
                ActionLogLease(name: claim.name, token: try result.number(0, 0), holder: try result.text(0, 1))
            }
        }

        func release(_ lease: ActionLogLease) throws(ActionLogError) {
            _ = try perform(
                .release,
                [.uuid(identity), .text(lease.name), .number(clamping: lease.token), .text(lease.holder)]
            )
        }

        func report(_ presence: ReplicaPresence) throws(ActionLogError) {
            guard let position = Int64(exactly: presence.position) else {
                throw ActionLogError(
                    .refused,
                    in: name,
                    "The position \(presence.position) of the replica is beyond the range of PostgreSQL."
                )
            }
            _ = try perform(.report, [.uuid(identity), .text(presence.origin), .number(position)])
        }

        func presences(since age: Duration) throws(ActionLogError) -> [ReplicaPresence] {
            let result = try perform(.presences, [.uuid(identity), .number(age.microseconds)])
            return try take { () throws(PostgresFailure) in
                var presences: [ReplicaPresence] = []
                for row in 0..<result.count {
                    presences.append(
                        ReplicaPresence(origin: try result.text(row, 0), position: try result.number(row, 1))
                    )
                }
                return presences
            }
        }
    }

    extension Duration {
        /// The duration in microseconds, up to those of a hundred years, so that the server can add it to a time.
        fileprivate var microseconds: Int64 {
            Int64(min(max(self, .zero), .seconds(86_400 * 36_525)) / .microseconds(1))
        }
    }
#endif
