/// The schedule of snapshots, and the waiters for them: a plain value. One snapshot is written at a time.
struct SnapshotSchedule<Waiter> {
    let interval: SnapshotInterval
    /// The revision of the newest snapshot that was begun.
    private var begun: UInt64
    /// The revision of the newest snapshot that the log has.
    private(set) var saved: UInt64?
    private var bytes = 0
    private var waiters: [Waiter] = []
    /// Whether a snapshot is being written.
    private(set) var isMaking = false
    /// Whether no more snapshots are written.
    private(set) var hasEnded = false

    init(_ interval: SnapshotInterval, recovered revision: UInt64?) {
        self.interval = interval
        begun = revision ?? 0
        saved = revision
    }

    /// Records a reduced action with its number of bytes.
    ///
    /// - Returns: Whether a snapshot of the resulting state is due.
    mutating func noteAction(at revision: UInt64, bytes: Int) -> Bool {
        self.bytes += bytes
        guard !isMaking, !hasEnded else { return false }
        return revision - min(begun, revision) >= interval.actions || self.bytes >= interval.bytes
    }

    /// Records the revision of the newest snapshot in the log, which another store can have written; nil if the log has
    /// none. Ignored while a snapshot is being written.
    mutating func noteNewest(_ revision: UInt64?) {
        guard !isMaking, revision != saved else { return }
        if revision ?? 0 > saved ?? 0 { bytes = 0 }
        saved = revision
        begun = max(begun, revision ?? 0)
    }

    /// Records the revision of the newest snapshot after the loss of a newer one, also while another one is being
    /// written; nil without one.
    mutating func noteLoss(newest revision: UInt64?) { saved = revision }

    /// The next step of a caller that requests a snapshot.
    enum Beginning: Equatable {
        /// Write the snapshot.
        case makes
        /// Wait for the running snapshot, and request again.
        case waits
        /// Nothing: a sufficient snapshot exists, or no more snapshots are written.
        case over
    }

    /// Begins a snapshot of a state.
    ///
    /// - Parameters:
    ///   - revision: The revision of the state.
    ///   - least: The revision from which a saved snapshot is sufficient; nil for that of the state. A caller that
    ///     passes that of an earlier moment does not wait for one snapshot after another of a changing state.
    mutating func begin(at revision: UInt64, unlessSavedFrom least: UInt64? = nil) -> Beginning {
        if hasEnded { return .over }
        if let saved, saved >= least ?? revision { return .over }
        if isMaking { return .waits }
        isMaking = true
        begun = revision
        bytes = 0
        return .makes
    }

    /// Adds a waiter for the end of the running snapshot.
    ///
    /// - Returns: Whether a snapshot is running.
    mutating func wait(_ waiter: Waiter) -> Bool {
        if isMaking { waiters.append(waiter) }
        return isMaking
    }

    /// Records that the running snapshot is in the log, or failed.
    ///
    /// - Returns: The waiters to resume.
    mutating func finish(isSaved: Bool) -> [Waiter] {
        if isSaved, isMaking { saved = begun }
        isMaking = false
        defer { waiters = [] }
        return waiters
    }

    /// Ends the schedule.
    ///
    /// - Returns: The waiters to resume.
    mutating func end() -> [Waiter] {
        hasEnded = true
        return finish(isSaved: false)
    }
}

/// The interval between two snapshots, by whichever limit is reached first.
///
/// After a restart, the store need not reduce the actions before a snapshot. A snapshot is written in the background:
/// the store's turn only copies references to the state, and later actions copy what they change in its collections.
public struct SnapshotInterval: Sendable, Equatable {
    /// The maximum number of actions.
    public let actions: UInt64
    /// The maximum number of bytes of actions.
    public let bytes: Int

    /// Creates an interval.
    ///
    /// - Parameters:
    ///   - actions: The maximum number of actions, at least one.
    ///   - bytes: The maximum number of bytes of encoded actions, at least one.
    public init(actions: UInt64 = 100_000, bytes: Int = 64 << 20) {
        self.actions = max(actions, 1)
        self.bytes = max(bytes, 1)
    }

    /// No snapshots, except requested ones, that of a shutdown, and that of an opening which needs one.
    public static let never = SnapshotInterval(actions: .max, bytes: .max)
}

/// The entries and snapshots that a log keeps.
public enum LogRetention: Sendable, Equatable {
    /// All entries and snapshots, so that every earlier state of this version of the reducer can be read.
    case everything
    /// This number of snapshots, at least one, and the entries after the oldest of them. Everything before is deleted
    /// when a new snapshot has been read back, or when the log is full. With two or more, one unreadable snapshot does
    /// no harm.
    case snapshots(Int)

    /// The number of snapshots; nil if everything is kept.
    var count: Int? { if case .snapshots(let count) = self { count } else { nil } }
}

/// The snapshots that this store has read back, and the limit for deleting entries: a plain value.
struct RetainedSnapshots: Sendable {
    let retention: LogRetention
    /// The snapshots that were read and decoded, the newest first. Nothing is deleted in favour of a snapshot that was
    /// not read back. Not their positions: one that a server has lost may have been written again.
    private var snapshots: [ActionLogSnapshot] = []

    init(_ retention: LogRetention) { self.retention = retention }

    /// Records all existing snapshots that were read back and decoded, the newest first.
    mutating func replace(with snapshots: [ActionLogSnapshot]) { self.snapshots = snapshots }

    /// Removes the snapshots before a position, which are being deleted.
    mutating func forget(before position: UInt64) { snapshots.removeAll { $0.point.position < position } }

    /// Returns whether a snapshot was read back.
    func contains(_ snapshot: ActionLogSnapshot) -> Bool { snapshots.contains(snapshot) }

    /// Returns the position up to which entries need not be kept; nil if all must be kept.
    func limit(keeping count: Int? = nil) -> UInt64? {
        guard let wanted = count ?? retention.count, snapshots.count >= max(wanted, 1) else { return nil }
        return snapshots[max(wanted, 1) - 1].point.position
    }
}
