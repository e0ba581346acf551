import Synchronization

/// One piece of effect work from the moment it was asked for until its task has ended.
@usableFromInline
final class EffectHandle: @unchecked Sendable {
    // Sound: `task` is written once, before the `attached` bit is raised with release ordering, and read only by one
    // who saw that bit with acquire ordering. `awaiter` is written at most once, before the task is started, and read by
    // what that task calls. Everything else is constant or atomic.

    /// Grows with each piece of work of a store, in the order in which it was asked for.
    let number: UInt64
    let id: EffectID?
    /// Whose work it is.
    let path: EffectPath
    /// Whether it goes on when the child is gone whose work it is.
    let isDetached: Bool
    let source: SourceLocation
    /// What the ``StoreTask`` of the action knows.
    let tracker: EffectTracker

    /// The effect that waits for the end of this one, and so ends later, if there is one.
    var awaiter: EffectHandle?

    private let phase = Atomic<UInt8>(0)
    private var task: Task<Void, Never>?

    private static let begunBit: UInt8 = 1
    private static let cancelledBit: UInt8 = 2
    private static let attachedBit: UInt8 = 4
    private static let endedBit: UInt8 = 8

    /// The effect that the current task is part of. It lets a shutdown that an effect asks for not wait for itself.
    @TaskLocal static var current: EffectHandle?

    init(
        number: UInt64,
        id: EffectID?,
        path: EffectPath = EffectPath(),
        isDetached: Bool = false,
        source: SourceLocation,
        tracker: EffectTracker
    ) {
        self.number = number
        self.id = id
        self.path = path
        self.isDetached = isDetached
        self.source = source
        self.tracker = tracker
    }

    var isCancelled: Bool { phase.load(ordering: .acquiring) & Self.cancelledBit != 0 }

    /// Whether it has begun and neither ended nor been cancelled: whether what it sends counts.
    var isRunning: Bool { phase.load(ordering: .acquiring) & ~Self.attachedBit == Self.begunBit }

    func begin() { phase.bitwiseOr(Self.begunBit, ordering: .relaxed) }

    func end() { phase.bitwiseOr(Self.endedBit, ordering: .releasing) }

    /// Cancels it, whether it has begun or not. From now on what it sends is dropped.
    func cancel() {
        let before = phase.bitwiseOr(Self.cancelledBit, ordering: .acquiringAndReleasing).oldValue
        if before & Self.attachedBit != 0 { task?.cancel() }
    }

    /// Its task, once it is there.
    var attachedTask: Task<Void, Never>? {
        phase.load(ordering: .acquiring) & Self.attachedBit != 0 ? task : nil
    }

    /// Whether it cannot end before the other one does, because it waits for that, or is the same.
    func ends(with other: EffectHandle) -> Bool {
        var handle: EffectHandle? = other
        while let current = handle {
            if current === self { return true }
            handle = current.awaiter
        }
        return false
    }

    /// Notes the task that does the work, which may have been cancelled, or even have ended, before it came to this.
    func attach(_ task: Task<Void, Never>) {
        self.task = task
        let before = phase.bitwiseOr(Self.attachedBit, ordering: .acquiringAndReleasing).oldValue
        if before & Self.cancelledBit != 0 { task.cancel() }
    }
}
