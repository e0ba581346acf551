/// What a state knows of the log, besides what its actions have made of it: a plain value, the same for all who have
/// reduced as much, and a part of each snapshot.
struct LogAccount: Sendable, Codable, Equatable {
    /// The last entry that was looked at.
    private(set) var point = ActionLogPoint.start
    /// How many actions have been reduced.
    private(set) var revision: UInt64 = 0
    /// The names of the actions that were reduced last, to find those that come again.
    private(set) var ids = RecentIDs()
    /// Who may write, or run effects.
    private(set) var lease: UInt64 = 0
    /// The origin of who has the lease; nil if there has been none.
    private(set) var holder: String?
    /// The newest version of the reducer that replicas have joined with; nil for none. What is sent for an older one is
    /// passed over from then on, as what is sent under an earlier lease is.
    private(set) var reducer: Int?
    /// How many actions were sent under a lease, or for a reducer, that had ended.
    private(set) var fenced: UInt64 = 0
    /// How many came a second time.
    private(set) var repeats: UInt64 = 0

    /// What is to be done about an entry.
    enum Verdict: Sendable, Equatable {
        /// Its action is reduced.
        case reduced
        /// There is nothing to be reduced in it.
        case passed
        /// Its action was reduced before, under the same name.
        case repeated
        /// Its action was meant for another revision than this one.
        case unexpected(revision: UInt64)
        /// Its action was sent under a lease that has ended, or for a reducer in whose place there is a newer one.
        case fenced
    }

    /// What would be done about the next entry.
    func verdict(on header: EntryHeader) -> Verdict {
        guard header.kind == .action else { return .passed }
        if let token = header.lease, token < lease { return .fenced }
        if let reducer, header.reducer ?? 0 < reducer { return .fenced }
        if let id = header.id, ids.contains(id) { return .repeated }
        if let expected = header.expected, expected != revision { return .unexpected(revision: revision) }
        return .reduced
    }

    /// Takes note of the next entry.
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

    /// Whether its numbers are far from where they would overflow, as those of every log are that was not made up.
    var isCredible: Bool { max(revision, fenced, repeats, point.position) < 1 << 62 }

    /// Begins behind entries of which nothing is known.
    mutating func begin(behind point: ActionLogPoint) { self.point = point }

    /// Takes note of an entry that cannot be read, and is left out.
    mutating func leaveOut(_ identity: ActionLogEntry.Identity?) {
        point = ActionLogPoint(position: point.position + 1, identity: identity)
    }
}

/// The names that came last: a plain value.
///
/// How many are kept is a constant of the library, because all who follow a log have to find the same repeats.
struct RecentIDs: Sendable, Equatable {
    /// How many are kept.
    static let limit = 10_000
    /// How many bytes of UTF-8 one has at most: all of them are a part of each snapshot.
    static let longest = 512

    /// The oldest first, from `start` on.
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
        // Now and then, so that no insertion moves all of them.
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

/// A state, and where in the log it is.
struct LoggedState<State: Sendable>: Sendable {
    var state: State
    var account = LogAccount()
}
