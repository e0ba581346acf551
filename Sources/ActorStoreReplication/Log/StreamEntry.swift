#if Replication
    import ActorStorePersistence
    import Foundation

    /// What one entry of a stream says.
    struct StreamEntry<Action: Sendable>: Sendable {
        enum Content: Sendable {
            /// An action, with its number among those of its origin, and the lease that it was sent under; nil if its
            /// sender could not encode it.
            case action(Action?, number: UInt64, lease: UInt64?)
            /// Somebody may run effects from here on.
            case lease(token: UInt64)
        }

        /// Numbers above this are not of this library: nobody counts so far.
        static var largestNumber: UInt64 { 1 << 62 }

        let position: StreamPosition
        /// Which replica appended it, in which of its lives.
        let origin: String
        let content: Content
    }

    extension StreamEntry where Action: Decodable {
        /// An entry as the server shows it.
        init(_ reply: RedisReply, _ stream: String, _ coding: StateCoding) throws(ReplicationError) {
            guard let parts = reply.elements, parts.count == 2,
                let position = parts[0].string.flatMap({ StreamPosition($0) })
            else { throw ReplicationError(stream, .foreignEntry("\(reply)")) }
            guard let fields = parts[1].fields, let origin = fields.text("origin") else {
                throw ReplicationError(stream, at: position, .foreignEntry("It has no origin."))
            }
            self.position = position
            self.origin = origin
            let allowed = 1...Self.largestNumber
            if let token = fields.number("lease") {
                guard allowed.contains(token) else {
                    throw ReplicationError(stream, at: position, .foreignEntry("Its lease is none."))
                }
                content = .lease(token: token)
                return
            }
            guard let number = fields.number("number"), allowed.contains(number), let version = fields.number("schema")
            else { throw ReplicationError(stream, at: position, .foreignEntry("It has no number, or no schema.")) }
            do {
                content = .action(
                    try fields["action"].map { data throws(StateCodingError) in
                        try coding.action(of: data, version: Int(clamping: version))
                    },
                    number: number,
                    lease: fields.number("under")
                )
            } catch {
                throw ReplicationError(stream, at: position, ReplicationError.Cause(error))
            }
        }
    }

    extension RedisCommand {
        /// Appends an action.
        static func append(
            _ action: Data?,
            number: UInt64,
            lease: UInt64?,
            origin: String,
            schema: Int,
            to stream: String
        ) -> RedisCommand {
            var words = [stream, "*", "origin", origin, "number", "\(number)", "schema", "\(schema)"].map {
                Data($0.utf8)
            }
            if let lease { words += [Data("under".utf8), Data("\(lease)".utf8)] }
            if let action { words += [Data("action".utf8), action] }
            return RedisCommand("XADD", words)
        }
    }
#endif
