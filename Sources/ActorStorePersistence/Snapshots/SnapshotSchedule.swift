/// When snapshots are made, and who waits for them: a plain value. One is made at a time.
struct SnapshotSchedule<Waiter> {
    let interval: SnapshotInterval
    /// The revision of the newest that was begun.
    private var begun: UInt64
    /// The revision of the newest that the log has.
    private(set) var saved: UInt64?
    private var bytes = 0
    private var waiters: [Waiter] = []
    /// Whether one is being made.
    private(set) var isMaking = false
    /// Whether none is made any more.
    private(set) var hasEnded = false

    init(_ interval: SnapshotInterval, recovered revision: UInt64?) {
        self.interval = interval
        begun = revision ?? 0
        saved = revision
    }

    /// An action was reduced, which has so many bytes.
    ///
    /// - Returns: Whether a snapshot is due of the state that it has led to.
    mutating func noteAction(at revision: UInt64, bytes: Int) -> Bool {
        self.bytes += bytes
        guard !isMaking, !hasEnded else { return false }
        return revision - min(begun, revision) >= interval.actions || self.bytes >= interval.bytes
    }

    /// Another store of the same log has made a snapshot of this revision.
    mutating func noteOther(at revision: UInt64) {
        guard revision > saved ?? 0 else { return }
        saved = revision
        begun = max(begun, revision)
        if !isMaking { bytes = 0 }
    }

    /// What one who wants a snapshot has to do.
    enum Beginning: Equatable {
        /// Make it.
        case makes
        /// Wait for the one that is being made, and ask again.
        case waits
        /// Nothing: there is one of this revision, or there will be none any more.
        case over
    }

    /// Begins a snapshot of a state.
    mutating func begin(at revision: UInt64) -> Beginning {
        if hasEnded || saved == revision { return .over }
        if isMaking { return .waits }
        isMaking = true
        begun = revision
        bytes = 0
        return .makes
    }

    /// Waits for the end of the one that is being made.
    ///
    /// - Returns: Whether there is one.
    mutating func wait(_ waiter: Waiter) -> Bool {
        if isMaking { waiters.append(waiter) }
        return isMaking
    }

    /// The one that was being made is in the log, or will never be.
    ///
    /// - Returns: Those who waited for it.
    mutating func finish(isSaved: Bool) -> [Waiter] {
        if isSaved, isMaking { saved = begun }
        isMaking = false
        defer { waiters = [] }
        return waiters
    }

    /// None is made any more.
    ///
    /// - Returns: Those who waited for one.
    mutating func end() -> [Waiter] {
        hasEnded = true
        return finish(isSaved: false)
    }
}

/// How much happens between two snapshots: whichever of both comes first.
///
/// A snapshot saves the recovery the actions before it. It is made in the background: the store's turn copies the
/// state, which is copying references, and the next actions copy what they change of the collections in it.
public struct SnapshotInterval: Sendable, Equatable {
    /// How many actions.
    public let actions: UInt64
    /// How many bytes of actions.
    public let bytes: Int

    /// Creates an interval.
    ///
    /// - Parameters:
    ///   - actions: How many actions; at least one.
    ///   - bytes: How many bytes of actions, as they are written.
    public init(actions: UInt64 = 100_000, bytes: Int = 64 << 20) {
        self.actions = max(actions, 1)
        self.bytes = max(bytes, 1)
    }

    /// No snapshots but those that are asked for, and that of a shutdown.
    public static let never = SnapshotInterval(actions: .max, bytes: .max)
}

/// What a log keeps.
public enum LogRetention: Sendable, Equatable {
    /// Every entry and every snapshot, so that each state there ever was can be read.
    case everything
    /// So many snapshots, at least one, and the entries behind the oldest of them. What comes before is deleted when
    /// there is a new one that has been read back. With two or more, one that cannot be read does no harm.
    case snapshots(Int)
}

/// Which snapshots have been read in this life, and what can be deleted behind them: a plain value.
struct RetainedSnapshots: Sendable {
    let retention: LogRetention
    /// The positions of those that were read and decoded, the newest first. What nobody has read is no ground to delete
    /// anything.
    private var positions: [UInt64] = []

    init(_ retention: LogRetention) { self.retention = retention }

    /// One was read back, and decoded.
    mutating func note(_ position: UInt64) {
        positions.removeAll { $0 == position }
        positions.insert(position, at: positions.firstIndex { $0 < position } ?? positions.endIndex)
    }

    /// Whether the one at a position was read back.
    func contains(_ position: UInt64) -> Bool { positions.contains(position) }

    /// Up to where entries need not be kept; nil if all have to be.
    func limit(keeping count: Int? = nil) -> UInt64? {
        let wanted: Int? =
            if let count { count } else if case .snapshots(let count) = retention { count } else { nil }
        guard let wanted, positions.count >= max(wanted, 1) else { return nil }
        return positions[max(wanted, 1) - 1]
    }
}
