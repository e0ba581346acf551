#if Replication
    /// What a replica knows of the stream, besides the state that its actions have led to: a plain value, the same on
    /// all replicas at the same place of the stream.
    struct ReplicaLog: Sendable, Codable, Equatable {
        /// An origin's newest action.
        struct Newest: Sendable, Codable, Equatable {
            var number: UInt64
            var position: StreamPosition
        }

        /// What is to be done about an entry.
        enum Verdict: Equatable {
            /// Its action is reduced.
            case reduced
            /// It is passed over: a lease, or an action that came before, or too late.
            case passed
            /// An action of its origin is missing, the one with this number; nothing was noted.
            case gap(expected: UInt64)
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
        /// Whether origins have been forgotten, which may go on with any number.
        private(set) var hasForgotten = false

        /// How many origins are remembered. Each start of a replica is one.
        static let originLimit = 4_096

        /// Takes note of the next entry.
        mutating func admit<Action>(_ entry: StreamEntry<Action>) -> Verdict {
            guard entry.position > position else { return .passed }
            switch entry.content {
            case .lease(let token):
                position = entry.position
                if token > lease?.token ?? 0 { lease = ReplicationLease(token: token, holder: entry.origin) }
                return .passed
            case .action(let action, let number, let token):
                let known = origins[entry.origin]?.number
                let newest = known ?? 0
                let mayBeAny = known == nil && hasForgotten
                guard mayBeAny || number <= newest + 1 else { return .gap(expected: newest + 1) }
                position = entry.position
                guard number > newest else {
                    // It was appended again after a connection had broken off, and its sender did not know.
                    duplicates += 1
                    return .passed
                }
                remember(entry.origin, Newest(number: number, position: entry.position))
                if let token, token < lease?.token ?? 0 {
                    fenced += 1
                    return .passed
                }
                guard action != nil else { return .passed }
                revision += 1
                return .reduced
            }
        }

        /// Forgets those who have been silent longest when there are too many: by what is in the stream alone, so that
        /// all replicas forget the same.
        private mutating func remember(_ origin: String, _ newest: Newest) {
            origins[origin] = newest
            guard origins.count > Self.originLimit else { return }
            let forgotten = origins.sorted { $0.value.position < $1.value.position }.prefix(Self.originLimit / 2)
            for (origin, _) in forgotten { origins[origin] = nil }
            hasForgotten = true
        }

        /// Whether its numbers are far from where they would overflow, as those of every log are that was not made up.
        var isCredible: Bool {
            let numbers = [revision, duplicates, fenced, lease?.token ?? 0] + origins.values.map(\.number)
            return numbers.allSatisfy { $0 <= StreamEntry<Never>.largestNumber }
        }
    }

    /// A state, and where in the stream it is.
    struct ReplicaState<State: Sendable>: Sendable {
        var state: State
        var log = ReplicaLog()
    }
#endif
