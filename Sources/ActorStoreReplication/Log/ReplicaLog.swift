#if Replication
    /// What a replica knows of the stream, besides the state that its actions have led to: a plain value, the same on all
    /// replicas at the same place of the stream.
    struct ReplicaLog: Sendable, Codable, Equatable {
        /// An origin's newest action.
        struct Newest: Sendable, Codable, Equatable {
            var number: UInt64
            var position: StreamPosition
        }

        /// How an origin's actions have become fewer than they were.
        struct Gap: Sendable, Codable, Equatable {
            let position: StreamPosition
            let origin: String
            /// The number that should have come.
            let expected: UInt64
        }

        /// The last entry that was looked at.
        private(set) var position = StreamPosition.zero
        /// How many actions have been reduced.
        private(set) var revision: UInt64 = 0
        private(set) var origins: [String: Newest] = [:]
        /// Who may run effects.
        private(set) var lease: ReplicationLease?
        /// How many actions came a second time.
        private(set) var duplicates: UInt64 = 0
        /// How many were sent under a lease that had ended.
        private(set) var fenced: UInt64 = 0
        /// Why nothing further is admitted.
        private(set) var gap: Gap?

        /// How many origins are remembered. Each start of a replica is one.
        static let originLimit = 4_096

        /// Takes note of the next entry.
        ///
        /// - Returns: whether its action, if it has one, is to be reduced.
        mutating func admit<Action>(_ entry: StreamEntry<Action>) -> Bool {
            guard entry.position > position, gap == nil else { return false }
            switch entry.content {
            case .lease(let token):
                position = entry.position
                if token > lease?.token ?? 0 { lease = ReplicationLease(token: token, holder: entry.origin) }
                return false
            case .action(let action, let number, let token):
                let newest = origins[entry.origin]?.number
                // An origin that has been forgotten goes on with any number.
                if let newest, number > newest + 1 {
                    gap = Gap(position: entry.position, origin: entry.origin, expected: newest + 1)
                    return false
                }
                position = entry.position
                if let newest, number <= newest {
                    // It was appended again after a connection had broken off, and its sender did not know.
                    duplicates += 1
                    return false
                }
                remember(entry.origin, Newest(number: number, position: entry.position))
                if let token, token < lease?.token ?? 0 {
                    fenced += 1
                    return false
                }
                guard action != nil else { return false }
                revision += 1
                return true
            }
        }

        /// Forgets those who have been silent longest when there are too many: by what is in the stream alone, so that
        /// all replicas forget the same.
        private mutating func remember(_ origin: String, _ newest: Newest) {
            origins[origin] = newest
            guard origins.count > Self.originLimit else { return }
            let forgotten = origins.sorted { $0.value.position < $1.value.position }.prefix(Self.originLimit / 2)
            for (origin, _) in forgotten { origins[origin] = nil }
        }
    }

    /// A state, and where in the stream it is.
    struct ReplicaState<State: Sendable>: Sendable {
        var state: State
        var log = ReplicaLog()
    }
#endif
