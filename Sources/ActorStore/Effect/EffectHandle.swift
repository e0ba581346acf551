import Synchronization

/// One piece of effect work from the moment it was asked for until it has ended: what is known of it to those who know
/// neither its actions nor its store.
///
/// ``EffectJob``, which adds what is to be done, is a subclass.
@usableFromInline
class EffectHandle: @unchecked Sendable {
    // Sound: `task` is written once, before the `attached` bit is raised with release ordering, and read only by one
    // who saw that bit with acquire ordering. `awaiter`, `lastMember` and `isQueued` are written before the task is
    // started, and read by what that task calls, or in the turn. `beginning` is touched only in the turn. Everything else
    // is constant or atomic.

    /// Grows with each piece of work of a store, in the order in which it was asked for.
    final let number: UInt64
    final let id: EffectID?
    /// Whose work it is.
    final let path: EffectPath
    /// Whether it goes on when the child is gone whose work it is.
    final let isDetached: Bool
    final let source: SourceLocation
    /// What the ``StoreTask`` of the action knows.
    @usableFromInline final let tracker: EffectTracker

    /// The number of the last piece of work that is a part of this one; its own if it has no parts.
    final var lastMember: UInt64
    /// Whether others may have to wait for its end.
    final var isQueued = false
    /// The effect that waits for the end of this one, and so ends later, if there is one.
    final var awaiter: EffectHandle?

    /// When it began. Touched only in the turn.
    private final var beginning: ContinuousClock.Instant?

    private final let phase = AtomicValue<UInt8>(0)
    /// How many of the actions that it has sent wait in the mailbox.
    private final let feedback = AtomicValue<Int>(0)
    private final var task: Task<Void, Never>?

    private static let begunBit: UInt8 = 1
    private static let cancelledBit: UInt8 = 2
    private static let attachedBit: UInt8 = 4
    private static let endedBit: UInt8 = 8
    private static let waitingBit: UInt8 = 16

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
        lastMember = number
    }

    @usableFromInline final var isCancelled: Bool { phase.loadAcquiring() & Self.cancelledBit != 0 }

    final var hasBegun: Bool { phase.loadRelaxed() & Self.begunBit != 0 }

    /// Whether it has begun and neither ended nor been cancelled: whether what it sends counts.
    final var isRunning: Bool {
        phase.loadAcquiring() & (Self.begunBit | Self.endedBit | Self.cancelledBit) == Self.begunBit
    }

    /// Whether its task is there, but has still to wait before the work begins.
    final var isWaiting: Bool {
        phase.loadAcquiring() & (Self.waitingBit | Self.cancelledBit) == Self.waitingBit
    }

    /// Begins with its work.
    final func begin() { begin(Self.begunBit) }

    /// For how long it has been running, cancelled or not; nil if it does not run. In the turn.
    final var runningTime: Duration? {
        guard let beginning, !hasEnded else { return nil }
        return beginning.duration(to: .now)
    }

    /// Begins with waiting.
    final func beginWaiting() { begin(Self.begunBit | Self.waitingBit) }

    private final func begin(_ bits: UInt8) {
        beginning = .now
        phase.bitwiseOrRelaxed(bits)
    }

    /// Takes note that it has waited long enough.
    ///
    /// - Returns: whether it may go on; it may not if it has been cancelled before.
    final func endWaiting() -> Bool {
        let before = phase.bitwiseAndAcquiringAndReleasing(~Self.waitingBit).oldValue
        return before & Self.cancelledBit == 0
    }

    final var hasEnded: Bool { phase.loadAcquiring() & Self.endedBit != 0 }

    final func end() { phase.bitwiseOrReleasing(Self.endedBit) }

    /// Cancels it, whether it has begun or not. From now on what it sends is dropped.
    final func cancel() {
        let before = phase.bitwiseOrAcquiringAndReleasing(Self.cancelledBit).oldValue
        if before & Self.attachedBit != 0 { task?.cancel() }
    }

    /// Cancels it if it still waits.
    final func cancelIfWaiting() {
        var seen = phase.loadAcquiring()
        while seen & Self.waitingBit != 0 {
            let (exchanged, original) = phase.compareExchangeAcquiringAndReleasing(
                expected: seen,
                desired: seen | Self.cancelledBit
            )
            if exchanged { return cancel() }
            seen = original
        }
    }

    /// Whether actions that it has sent wait in the mailbox, which its cancellation would still concern.
    final var hasFeedback: Bool { feedback.loadAcquiring() > 0 }

    /// Takes note that it sends an action.
    ///
    /// - Returns: whether it may.
    @usableFromInline
    final func beginFeedback() -> Bool {
        // Counted first, so that who sees the end of it sees this as well.
        feedback.addAcquiringAndReleasing(1)
        if isRunning {
            if tracker.tracksFeedback { tracker.begin() }
            return true
        }
        feedback.subtractReleasing(1)
        return false
    }

    /// Takes note that an action which it has sent was reduced, or will not be.
    ///
    /// - Returns: whether it was the last one of an effect that has ended.
    @discardableResult
    final func endFeedback() -> Bool {
        if tracker.tracksFeedback { tracker.end() }
        return feedback.subtractAcquiringAndReleasing(1).newValue == 0 && hasEnded
    }

    /// Its task, once it is there.
    final var attachedTask: Task<Void, Never>? {
        phase.loadAcquiring() & Self.attachedBit != 0 ? task : nil
    }

    /// Whether it cannot end before the other one does, because it waits for that, or is the same.
    final func ends(with other: EffectHandle) -> Bool { other.andAwaiters.contains { $0 === self } }

    /// Those of its own, and of all that wait for it.
    final var trackersThatWait: [EffectTracker] { andAwaiters.map(\.tracker) }

    /// This one, the one that waits for it, the one that waits for that, and so on.
    private final var andAwaiters: some Sequence<EffectHandle> { sequence(first: self, next: \.awaiter) }

    /// Notes the task that does the work, which may have been cancelled, or even have ended, before it came to this.
    final func attach(_ task: Task<Void, Never>) {
        self.task = task
        let before = phase.bitwiseOrAcquiringAndReleasing(Self.attachedBit).oldValue
        if before & Self.cancelledBit != 0 { task.cancel() }
    }
}
