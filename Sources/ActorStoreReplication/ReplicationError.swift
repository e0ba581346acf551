#if Replication
    import ActorStorePersistence

    /// What went wrong with a replica: at which stream, where in it, and why.
    public struct ReplicationError: Error, Sendable, Equatable {
        /// Why.
        public enum Cause: Sendable, Equatable {
            /// The server cannot be reached: what the system or the server says about it.
            case unreachable(String)
            /// The server refuses a command for good, such as for a wrong password.
            case refused(String)
            /// The stream ends before what this replica has reduced: the server has lost its end, or was given an older
            /// file.
            case lostEnd
            /// Entries are missing after this place, and there is no snapshot from behind them.
            case missingEntries
            /// An origin's actions are missing: the one with this number should have come.
            case missingActions(origin: String, number: UInt64)
            /// An entry was not written by this library.
            case foreignEntry(String)
            /// An entry or the snapshot was written with a version of the schema that this program does not know.
            case unknownSchema(Int)
            /// An entry or the snapshot could not be migrated or decoded.
            case undecodable(String)
            /// The action or the state could not be encoded. The action is not reduced anywhere.
            case unencodable(String)
            /// There is no connection, and the replica was told to refuse actions then.
            case disconnected
            /// As many actions as may wait to be appended and reduced.
            case overloaded(limit: Int)
            /// The request has been reduced, and its answer is not known here: this replica fell behind the stream, and
            /// took a snapshot that has the request in it.
            case missedAnswer
            /// The task was cancelled while it waited. The action may be reduced later, or may have been.
            case cancelled
            /// The replica was shut down before it was known what became of these actions, which may be in the stream
            /// or not.
            case unacknowledged(count: Int)
            /// The replica has been shut down.
            case closed
        }

        /// The stream.
        public let stream: String
        /// The place in it, if it is about one.
        public let position: StreamPosition?
        /// Why.
        public let cause: Cause

        init(_ stream: String, at position: StreamPosition? = nil, _ cause: Cause) {
            self.stream = stream
            self.position = position
            self.cause = cause
        }
    }

    extension ReplicationError: CustomStringConvertible {
        /// Names the stream, the place and the cause, and says what can be done if that is not obvious.
        public var description: String {
            "The replica of the stream \"\(stream)\"\(position.map { " at \($0)" } ?? ""): \(cause)"
        }
    }

    extension ReplicationError.Cause: CustomStringConvertible {
        /// Says it in words.
        public var description: String {
            switch self {
            case .unreachable(let reason): "The server cannot be reached: \(reason)"
            case .refused(let reason): "The server refuses: \(reason)"
            case .lostEnd:
                """
                The stream ends before this place, which this replica has reduced: the server has lost what it had \
                acknowledged. Restart the replicas to go on without it, and see the server's appendfsync setting.
                """
            case .missingEntries: "Entries after it have been trimmed, and there is no snapshot from behind them."
            case .missingActions(let origin, let number):
                "Action \(number) of \(origin) is missing: the server has lost what it had acknowledged."
            case .foreignEntry(let reason): "The entry was not written by this library. \(reason)"
            case .unknownSchema(let version): "It is of version \(version) of the schema, which is not known."
            case .undecodable(let reason): "It cannot be read: \(reason)"
            case .unencodable(let reason): "It cannot be encoded: \(reason)"
            case .disconnected: "There is no connection to the server."
            case .overloaded(let limit): "\(limit) actions wait to be appended and reduced, and no more may."
            case .missedAnswer: "The request was reduced, and this replica took a snapshot instead of reducing it."
            case .cancelled: "The task was cancelled while it waited; the action may be reduced all the same."
            case .unacknowledged(let count):
                "It was shut down while \(count) actions waited, which may be in the stream or not."
            case .closed: "It has been shut down."
            }
        }
    }

    extension ReplicationError.Cause {
        init(_ error: StateCodingError) {
            switch error {
            case .unencodable(let reason): self = .unencodable(reason)
            case .unknownSchema(let version): self = .unknownSchema(version)
            case .undecodable(let reason): self = .undecodable(reason)
            }
        }

        init(_ failure: RedisFailure) {
            switch failure {
            case .connection(let reason), .busy(let reason): self = .unreachable(reason)
            case .refused(let reason): self = .refused(reason)
            }
        }

        /// Whether it may be better soon.
        var isPassing: Bool {
            if case .unreachable = self { true } else { false }
        }
    }
#endif
