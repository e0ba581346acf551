/// The position and the bookkeeping that belong to a state: a plain value, equal for all stores that have reduced as
/// much, and a part of each snapshot.
struct LogAccount: Sendable, Codable, Equatable {
    /// The last processed entry.
    private(set) var point = ActionLogPoint.start
    /// The number of reduced actions.
    private(set) var revision: UInt64 = 0
    /// The names of the last reduced actions, which identify repeats.
    private(set) var ids = RecentIDs()
    /// The token of the newest lease for writing or running effects.
    private(set) var lease: UInt64 = 0
    /// The origin of the lease's holder; nil if there has been no lease.
    private(set) var holder: String?
    /// The newest version of the reducer with which a replica has joined; nil if no replica has. Later actions for an
    /// older version are skipped, like those of an earlier lease.
    private(set) var reducer: Int?
    /// The number of actions that were sent under an ended lease, or for a replaced reducer.
    private(set) var fenced: UInt64 = 0
    /// The number of repeated actions.
    private(set) var repeats: UInt64 = 0

    /// The outcome of an entry.
    enum Verdict: Sendable, Equatable {
        /// The action is reduced.
        case reduced
        /// The entry has nothing to reduce.
        case passed
        /// An action of the same name was reduced before.
        case repeated
        /// The action was sent for another revision.
        case unexpected(revision: UInt64)
        /// The action was sent under an ended lease, or for a replaced reducer.
        case fenced
    }

    /// Returns the outcome of the next entry.
    func verdict(on header: EntryHeader) -> Verdict {
        guard header.kind == .action else { return .passed }
        if let token = header.lease, token < lease { return .fenced }
        if let reducer, header.reducer ?? 0 < reducer { return .fenced }
        if let id = header.id, ids.contains(id) { return .repeated }
        if let expected = header.expected, expected != revision { return .unexpected(revision: revision) }
        return .reduced
    }

    /// Records the next entry, and returns its outcome.
    mutating func admit(_ header: EntryHeader, of identity: ActionLogEntry.Identity) -> Verdict {
        point = ActionLogPoint(position: point.position + 1, identity: identity)
        if header.kind == .opening { begin(header, of: identity) }
        let verdict = verdict(on: header)
        switch verdict {
        case .reduced:
            revision += 1
            if let id = header.id { ids.insert(id) }
        case .fenced: fenced += 1
        case .repeated: repeats += 1
        case .passed, .unexpected: break
        }
        return verdict
    }

    private mutating func begin(_ header: EntryHeader, of identity: ActionLogEntry.Identity) {
        if let token = header.lease, token > lease { (lease, holder) = (token, identity.origin) }
        if let version = header.reducer, version > reducer ?? .min { reducer = version }
    }

    /// Whether the numbers are far from overflow, as in every log that was not forged.
    var isCredible: Bool {
        max(revision, fenced, repeats, point.position) < 1 << 62 && lease <= EntryHeader.greatestLease
    }

    /// Starts behind entries whose contents are unknown.
    mutating func begin(behind point: ActionLogPoint) { self.point = point }

    /// Records an unreadable entry, which is skipped.
    mutating func leaveOut(_ identity: ActionLogEntry.Identity?) {
        point = ActionLogPoint(position: point.position + 1, identity: identity)
    }
}

/// The most recent names: a plain value.
///
/// The number of names is a constant of the library, because all stores of a log must detect the same repeats.
struct RecentIDs: Sendable, Equatable {
    /// The number of names that are kept.
    static let limit = 10_000
    /// The maximum number of bytes of a name in UTF-8. All names are a part of each snapshot.
    static let longest = 512

    /// The names from `start` on, the oldest first.
    private var order: [String] = []
    private var start = 0
    private var known: Set<String> = []

    func contains(_ id: String) -> Bool { known.contains(id) }

    mutating func insert(_ id: String) {
        guard known.insert(id).inserted else { return }
        order.append(id)
        guard order.count - start > Self.limit else { return }
        known.remove(order[start])
        start += 1
        // Compacts only now and then, so that not every insertion moves all names.
        if start > Self.limit {
            order.removeFirst(start)
            start = 0
        }
    }

    static func == (left: RecentIDs, right: RecentIDs) -> Bool {
        left.order[left.start...] == right.order[right.start...]
    }
}

extension RecentIDs: Codable {
    init(from decoder: any Decoder) throws {
        order = try decoder.singleValueContainer().decode([String].self).suffix(Self.limit)
        known = Set(order)
    }

    func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(Array(order[start...]))
    }
}

/// A state and its point in the log.
struct LoggedState<State: Sendable>: Sendable {
    var state: State
    var account = LogAccount()
}
