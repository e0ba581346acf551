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
    /// Where it is known by its identity, or as that of its child; nil if it is neither. Looked into only in the turn.
    final let place: EffectPlace?
    /// Whether it goes on when the child is gone whose work it is.
    final let isDetached: Bool
    /// How many steps of the path lead to the nearest child that is presented; 0 if none is.
    final let presentationDepth: UInt16
    final let source: SourceLocation
    /// What the ``StoreTask`` of the action knows.
    @usableFromInline final let tracker: EffectTracker

    /// The number of the last piece of work that is a part of this one; its own if it has no parts.
    final var lastMember: UInt64
    /// Whether others may have to wait for its end, or its throttle must know of it.
    final var isQueued = false
    /// Whether its store counts it among those that run. Touched only in the turn.
    final var isCounted = false
    /// Whether a shutdown has reported that it did not end in time. Touched only in the turn.
    final var isReportedAsLate = false
    /// The effect that waits for the end of this one, and so ends later, if there is one.
    final var awaiter: EffectHandle?

    /// When it began, perhaps with waiting. Touched only in the turn.
    private final var beginning: ContinuousClock.Instant?

    /// The bits below, and from `oneFeedback` on the number of actions that it has sent and that wait in the mailbox. One
    /// word, so that a thread that sees the end of the work sees all that it has sent.
    ///
    /// Pairs: all changes, which are read-modify-writes, with each other and with the loads. The loads of `task` depend
    /// on `attach`; `endWaiting` and `cancelIfWaiting`, and `end` and `beginFeedback`, decide which of the two was
    /// first.
    private final let word = AtomicValue<UInt64>(0)
    private final var task: Task<Void, Never>?

    private static let begunBit: UInt64 = 1
    private static let cancelledBit: UInt64 = 1 << 1
    private static let attachedBit: UInt64 = 1 << 2
    /// Set in the turn.
    private static let endedBit: UInt64 = 1 << 3
    private static let waitingBit: UInt64 = 1 << 4
    /// Set by the task, when its body is over: what is sent from then on is late. Nothing else is decided by it, but reports leave out
    /// what is over.
    private static let overBit: UInt64 = 1 << 5
    /// Set in the turn.
    private static let presentationOverBit: UInt64 = 1 << 6
    /// Set in the turn, together with `cancelledBit`.
    private static let sparedBit: UInt64 = 1 << 7
    /// Set when its body begins to wait for others: these have to know if the body ends before they do.
    private static let awaitsOthersBit: UInt64 = 1 << 8
    private static let oneFeedback: UInt64 = 1 << 9

    /// The effect that the current task is part of.
    static var current: EffectHandle? { CurrentEffect.effect as? EffectJob }

    init(
        number: UInt64,
        id: EffectID?,
        place: EffectPlace?,
        presentationDepth: Int = 0,
        isDetached: Bool = false,
        source: SourceLocation,
        tracker: EffectTracker
    ) {
        self.number = number
        self.id = id
        self.place = place
        self.presentationDepth = UInt16(clamping: presentationDepth)
        self.isDetached = isDetached
        self.source = source
        self.tracker = tracker
        lastMember = number
    }

    @usableFromInline final var isCancelled: Bool { word.loadAcquiring() & Self.cancelledBit != 0 }

    final var hasBegun: Bool { word.loadRelaxed() & Self.begunBit != 0 }

    /// Whether it has begun and neither ended nor been cancelled. In the turn.
    final var isRunning: Bool {
        word.loadAcquiring() & (Self.begunBit | Self.endedBit | Self.cancelledBit) == Self.begunBit
    }

    /// Whether its task is there, but has still to wait before the work begins.
    final var isWaiting: Bool {
        word.loadAcquiring() & (Self.waitingBit | Self.cancelledBit) == Self.waitingBit
    }

    /// Whether it is debounced or throttled and still waits for that, so that a new request stands for it as well. What
    /// waits in a queue has had its time already. In the turn.
    var waitsForItsTime: Bool { false }

    /// Whether it waits for its place in the queue of its identity, so that it has not begun. Touched only in the turn.
    var waitsInQueue: Bool { false }

    /// Begins with its work.
    final func begin() { begin(Self.begunBit) }

    /// For how long it has been running or waiting, cancelled or not; nil if it does not run. For diagnostics. In the turn.
    final var runningTime: Duration? {
        guard let beginning, !isOver else { return nil }
        return beginning.duration(to: .now)
    }

    /// Begins with waiting.
    final func beginWaiting() { begin(Self.begunBit | Self.waitingBit) }

    private final func begin(_ bits: UInt64) {
        beginning = .now
        // Relaxed: in the turn, and before the task is made.
        word.bitwiseOrRelaxed(bits)
    }

    /// Takes note that it has waited long enough.
    ///
    /// - Returns: whether it may go on; it may not if it has been cancelled before, and has not come to its work then.
    func endWaiting() -> Bool {
        var seen = word.loadAcquiring()
        while seen & Self.cancelledBit == 0 {
            let (exchanged, original) = word.compareExchangeAcquiringAndReleasing(
                expected: seen,
                desired: seen & ~Self.waitingBit
            )
            if exchanged { return true }
            seen = original
        }
        return false
    }

    /// Whether it will never come to its work, because it was cancelled while it waited, or has not begun at all. Not to be
    /// asked as long as it ``isWaiting``.
    final var gaveUpWaiting: Bool {
        let bits = word.loadAcquiring()
        return bits & Self.begunBit == 0
            || bits & (Self.waitingBit | Self.cancelledBit) == Self.waitingBit | Self.cancelledBit
    }

    /// Whether its body is over, or its end has been noted.
    final var isOver: Bool { word.loadAcquiring() & (Self.endedBit | Self.overBit) != 0 }

    /// Whether its end has been noted. In the turn.
    final var hasEnded: Bool { word.loadAcquiring() & Self.endedBit != 0 }

    /// Records its end. In the turn.
    final func end() { word.bitwiseOrAcquiringAndReleasing(Self.endedBit) }

    /// Records that its body waits for the end of others. They have to know of it before this is called.
    final func beginAwaitingOthers() { word.bitwiseOrAcquiringAndReleasing(Self.awaitsOthersBit) }

    /// Records, in its task, that its body is over.
    ///
    /// - Returns: whether it has ever waited for the end of others.
    final func endBody() -> Bool {
        // Pairs with `beginAwaitingOthers`: of both the later one sees the other.
        word.bitwiseOrAcquiringAndReleasing(Self.overBit).oldValue & Self.awaitsOthersBit != 0
    }

    // MARK: Cancelling

    /// Marks it as cancelled, whether it has begun or not. From now on what it sends is dropped.
    ///
    /// - Returns: whether it has a task that has still to be cancelled, by ``cancelTask()``, which runs user code.
    final func cancel() -> Bool {
        // Pairs with `attach`: of both the later one sees the other.
        let before = word.bitwiseOrAcquiringAndReleasing(Self.cancelledBit).oldValue
        guard before & Self.sparedBit != 0 else {
            return before & (Self.attachedBit | Self.cancelledBit) == Self.attachedBit
        }
        // It was spared by the shutdown that it has asked for, and not by this one.
        let spared = word.bitwiseAndAcquiringAndReleasing(~Self.sparedBit).oldValue
        return spared & (Self.attachedBit | Self.sparedBit) == Self.attachedBit | Self.sparedBit
    }

    /// Drops what it sends from now on, as if it were cancelled, and lets its task go on, unless it has been cancelled
    /// before: it has asked for the shutdown that cancels the other effects, and still has to do what it wants to do
    /// afterwards. ``cancel()`` can cancel it later. In the turn.
    final func spare() {
        var seen = word.loadAcquiring()
        while seen & Self.cancelledBit == 0 {
            let (exchanged, original) = word.compareExchangeAcquiringAndReleasing(
                expected: seen,
                desired: seen | Self.cancelledBit | Self.sparedBit
            )
            if exchanged { return }
            seen = original
        }
    }

    /// Whether its task is cancelled, or will be as soon as it is there; not that of one that is spared.
    @usableFromInline final var isTaskCancelled: Bool { Self.isTaskCancelled(word.loadAcquiring()) }

    /// Whether its task goes on after a shutdown has cancelled the others.
    final var isSpared: Bool { word.loadAcquiring() & Self.sparedBit != 0 }

    private static func isTaskCancelled(_ word: UInt64) -> Bool {
        word & (cancelledBit | sparedBit) == cancelledBit
    }

    /// Marks it as cancelled if it still waits; see ``cancel()``.
    final func cancelIfWaiting() -> Bool {
        var seen = word.loadAcquiring()
        while seen & (Self.waitingBit | Self.cancelledBit) == Self.waitingBit {
            let (exchanged, original) = word.compareExchangeAcquiringAndReleasing(
                expected: seen,
                desired: seen | Self.cancelledBit
            )
            if exchanged { return seen & Self.attachedBit != 0 }
            seen = original
        }
        return false
    }

    /// Cancels its task, if there is one. Runs the task's cancellation handlers, which are user code.
    final func cancelTask() { attachedTask?.cancel() }

    /// Notes the task that does the work, which may have been cancelled, or even have ended, before it came to this.
    ///
    /// - Returns: whether the task has still to be cancelled, by ``cancelTask()``.
    final func attach(_ task: Task<Void, Never>) -> Bool {
        self.task = task
        // Pairs with `cancel` and `spare`.
        return Self.isTaskCancelled(word.bitwiseOrAcquiringAndReleasing(Self.attachedBit).oldValue)
    }

    /// Its task, once it is there.
    final var attachedTask: Task<Void, Never>? {
        word.loadAcquiring() & Self.attachedBit != 0 ? task : nil
    }

    // MARK: Presentation

    /// Whether the child has gone that it can dismiss, while it goes on itself.
    @usableFromInline final var isPresentationOver: Bool { word.loadAcquiring() & Self.presentationOverBit != 0 }

    /// Takes note that the child which it can dismiss has gone. In the turn.
    final func endPresentation() { word.bitwiseOrAcquiringAndReleasing(Self.presentationOverBit) }

    // MARK: Feedback

    /// Whether actions that it has sent wait in the mailbox, which its cancellation would still concern.
    final var hasFeedback: Bool { word.loadAcquiring() >= Self.oneFeedback }

    /// Whether what it sends at this moment counts: it has begun, is not over, and has not been cancelled.
    final var canSend: Bool { Self.canSend(word.loadAcquiring()) }

    private static func canSend(_ bits: UInt64) -> Bool {
        bits & (begunBit | overBit | endedBit | cancelledBit) == begunBit
    }

    /// Takes note that it sends an action.
    ///
    /// - Returns: whether that counts; see ``canSend``.
    @usableFromInline
    final func beginFeedback() -> Bool {
        // Counted by the tracker first, so that this does not end before.
        if tracker.tracksFeedback { guard tracker.beginIfUnfinished() else { return false } }
        var seen = word.loadAcquiring()
        while Self.canSend(seen) {
            let (exchanged, original) = word.compareExchangeAcquiringAndReleasing(
                expected: seen,
                desired: seen + Self.oneFeedback
            )
            if exchanged { return true }
            seen = original
        }
        if tracker.tracksFeedback, let end = tracker.end() {
            // The caller may be in a turn. Without a store the effect has come to its end.
            if let root = (self as? EffectJob)?.owner?.root {
                root.runInBackground { end.resume() }
            } else {
                end.resume()
            }
        }
        return false
    }

    /// Takes note that an action which it has sent was reduced, or will not be. In the turn.
    ///
    /// - Returns: whether it was the last one of an effect that has ended.
    final func endFeedback() -> Bool {
        let after = word.subtractAcquiringAndReleasing(Self.oneFeedback).newValue
        return after < Self.oneFeedback && after & Self.endedBit != 0
    }

    // MARK: Waiting for each other

    /// Whether it does nothing by itself before other work of its store has ended. In the turn.
    var waitsForOthers: Bool { !hasBegun && !hasEnded }

    /// This one, the one that waits for it, the one that waits for that, and so on.
    final var andAwaiters: some Sequence<EffectHandle> { sequence(first: self, next: \.awaiter) }
}
