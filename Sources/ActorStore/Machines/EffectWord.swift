/// The state of one effect operation in a machine word, so that a thread that sees its end sees everything it has sent.
///
/// | bit | set when |
/// |---|---|
/// | begun | it has begun, possibly with a wait |
/// | waiting | it has begun with a wait, until the wait is over |
/// | cancelled | what it sends is dropped |
/// | spared | it was cancelled, but its task continues: it has requested the shutdown that cancels the other effects |
/// | attached | its task is stored |
/// | over | its body has returned, and what it sends is dropped; only reports still read it |
/// | presentation over | the child that it can dismiss has been removed |
/// | ended | its end was recorded within a turn |
///
/// Begun, waiting for the first time, spared, presentation over and ended are set within the turn. Of the other bits,
/// 24 count the operations that its body waits for, which are notified if the body ends first, and 32 count its actions
/// in the mailbox.
///
/// This type contains only the transitions; ``EffectJob`` applies them atomically.
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

    /// Returns whether all of some bits are set, and all of some others are clear.
    private func has(_ set: UInt64, without clear: UInt64 = 0) -> Bool { bits & (set | clear) == set }

    var hasBegun: Bool { has(Self.begun) }
    var hasEnded: Bool { has(Self.ended) }
    var isCancelled: Bool { has(Self.cancelled) }
    var isSpared: Bool { has(Self.spared) }
    var isAttached: Bool { has(Self.attached) }
    var isPresentationOver: Bool { has(Self.presentationOver) }
    var awaitsOthers: Bool { bits % Self.oneFeedback >= Self.oneAwaited }
    var hasFeedback: Bool { bits >= Self.oneFeedback }

    /// Whether it has begun, and has neither ended nor been cancelled.
    var isRunning: Bool { has(Self.begun, without: Self.ended | Self.cancelled) }
    /// Whether it still waits to start its work.
    var isWaiting: Bool { has(Self.waiting, without: Self.cancelled) }
    /// Whether its body has returned, or its end was recorded.
    var isOver: Bool { bits & (Self.ended | Self.over) != 0 }
    /// Whether its task is cancelled, or will be as soon as it is attached.
    var isTaskCancelled: Bool { has(Self.cancelled, without: Self.spared) }
    /// Whether the actions that it sends are accepted.
    var canSend: Bool { has(Self.begun, without: Self.over | Self.ended | Self.cancelled) }
    /// Whether it will never start its work, because it was cancelled while it waited, or has not begun at all. Not
    /// valid while it ``isWaiting``.
    var gaveUpWaiting: Bool { !hasBegun || has(Self.waiting | Self.cancelled) }

    // MARK: Transitions

    /// The state after the wait; nil if it was cancelled first.
    var withWaitEnded: EffectWord? { isCancelled ? nil : EffectWord(bits: bits & ~Self.waiting) }

    /// The cancelled state; nil unless it still waits.
    var cancelledIfWaiting: EffectWord? { isWaiting ? EffectWord(bits: bits | Self.cancelled) : nil }

    /// The cancelled state with a task that continues; nil if it was cancelled before.
    var sparedUnlessCancelled: EffectWord? {
        isCancelled ? nil : EffectWord(bits: bits | Self.cancelled | Self.spared)
    }

    /// The state with one more action in the mailbox; nil if the action is not accepted.
    var withOneMoreFeedback: EffectWord? { canSend ? EffectWord(bits: bits + Self.oneFeedback) : nil }

    /// The state with one more operation to wait for; nil if the counter would overflow.
    var withOneMoreAwaited: EffectWord? {
        let more = EffectWord(bits: bits + Self.oneAwaited)
        return more.awaitsOthers ? more : nil
    }

    /// The ended state of a step that only sends an action, with that action in the mailbox, whether it will be
    /// accepted or not.
    var endedWithFeedback: EffectWord? { EffectWord(bits: (bits | Self.ended) + Self.oneFeedback) }
}
