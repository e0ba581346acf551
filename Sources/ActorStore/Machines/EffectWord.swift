/// The state of a piece of effect work in one machine word, so that a thread that sees its end sees all that it has
/// sent.
///
/// | bit | since when |
/// |---|---|
/// | begun | it was begun, perhaps with waiting |
/// | waiting | it was begun with waiting, until the wait is over |
/// | cancelled | what it sends no longer counts |
/// | spared | it was cancelled, but its task goes on: it has asked for the shutdown that cancels the other effects |
/// | attached | its task is known |
/// | over | its body is over, and what it sends is late; only reports look at it besides |
/// | presentation over | the child has gone that it can dismiss |
/// | ended | its end was noted in the turn |
///
/// Begun, waiting for the first time, spared, presentation over and ended are set in the turn. Of the rest of the word
/// 24 bits count for how much other work its body waits, which has to know if the body ends first, and 32 the actions
/// that it has sent and that wait in the mailbox.
///
/// This type is the table of transitions alone; ``EffectJob`` applies them atomically.
@usableFromInline
struct EffectWord: Equatable, Sendable {
    let bits: UInt64

    init(bits: UInt64) { self.bits = bits }

    static let begun: UInt64 = 1
    static let cancelled: UInt64 = 1 << 1
    static let attached: UInt64 = 1 << 2
    static let ended: UInt64 = 1 << 3
    static let waiting: UInt64 = 1 << 4
    static let over: UInt64 = 1 << 5
    static let presentationOver: UInt64 = 1 << 6
    static let spared: UInt64 = 1 << 7
    static let oneAwaited: UInt64 = 1 << 8
    static let oneFeedback: UInt64 = 1 << 32

    /// Whether all of some bits are set, and none of some others.
    private func has(_ set: UInt64, without clear: UInt64 = 0) -> Bool { bits & (set | clear) == set }

    var hasBegun: Bool { has(Self.begun) }
    var hasEnded: Bool { has(Self.ended) }
    var isCancelled: Bool { has(Self.cancelled) }
    var isSpared: Bool { has(Self.spared) }
    var isAttached: Bool { has(Self.attached) }
    var isPresentationOver: Bool { has(Self.presentationOver) }
    var awaitsOthers: Bool { bits % Self.oneFeedback >= Self.oneAwaited }
    var hasFeedback: Bool { bits >= Self.oneFeedback }

    /// Whether it has begun and neither ended nor been cancelled.
    var isRunning: Bool { has(Self.begun, without: Self.ended | Self.cancelled) }
    /// Whether it has still to wait before its work begins.
    var isWaiting: Bool { has(Self.waiting, without: Self.cancelled) }
    /// Whether its body is over, or its end was noted.
    var isOver: Bool { bits & (Self.ended | Self.over) != 0 }
    /// Whether its task is cancelled, or will be as soon as it is there.
    var isTaskCancelled: Bool { has(Self.cancelled, without: Self.spared) }
    /// Whether what it sends counts.
    var canSend: Bool { has(Self.begun, without: Self.over | Self.ended | Self.cancelled) }
    /// Whether it will never come to its work, because it was cancelled while it waited, or has not begun at all. Not
    /// to be asked as long as it ``isWaiting``.
    var gaveUpWaiting: Bool { !hasBegun || has(Self.waiting | Self.cancelled) }

    // MARK: Transitions

    /// Its wait is over; nil if it was cancelled first.
    var withWaitEnded: EffectWord? { isCancelled ? nil : EffectWord(bits: bits & ~Self.waiting) }

    /// Cancelled; nil unless it still waits.
    var cancelledIfWaiting: EffectWord? { isWaiting ? EffectWord(bits: bits | Self.cancelled) : nil }

    /// Cancelled, but with a task that goes on; nil if it was cancelled before.
    var sparedUnlessCancelled: EffectWord? {
        isCancelled ? nil : EffectWord(bits: bits | Self.cancelled | Self.spared)
    }

    /// With one action more in the mailbox; nil if that does not count.
    var withOneMoreFeedback: EffectWord? { canSend ? EffectWord(bits: bits + Self.oneFeedback) : nil }

    /// Waiting for one piece of other work more; nil if it cannot count so many.
    var withOneMoreAwaited: EffectWord? {
        let more = EffectWord(bits: bits + Self.oneAwaited)
        return more.awaitsOthers ? more : nil
    }

    /// Ended with one action in the mailbox, which is all that a step does, whether that action counts or not.
    var endedWithFeedback: EffectWord? { EffectWord(bits: (bits | Self.ended) + Self.oneFeedback) }
}
