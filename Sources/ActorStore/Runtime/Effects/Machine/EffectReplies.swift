/// An action that an effect has been asked to send, and that a store has still to reduce.
@usableFromInline
struct EffectReply: Sendable {
    let action: any Sendable
    /// The child that asked for it; nil if the store's own reducer did, and nobody waits for it.
    let origin: ReplyOrigin?
}

/// Who sent an action that waits in the mailbox, and whether it still counts.
@usableFromInline
final class ReplyOrigin: @unchecked Sendable {
    // Sound: letters carry origins, but only the owner of the store's turn looks into them.
    let path: EffectPath
    /// How many steps of the path lead to the child that the action takes away; 0 if it takes none away.
    let dismissalDepth: UInt16
    /// Whether it no longer counts when the child at the path has gone.
    let endsWithChild: Bool
    fileprivate(set) var isCancelled: Bool
    /// When it was asked for, in the order of all that is asked for.
    let number: UInt64
    /// That of the effects which wait for it to be reduced, if there are any.
    @usableFromInline let tracker: EffectTracker?

    init(_ scope: EffectScope, number: UInt64, isCancelled: Bool, tracker: EffectTracker?) {
        path = scope.path
        dismissalDepth = scope.isDismissal ? UInt16(clamping: scope.presentationDepth) : 0
        endsWithChild = scope.endsWithChild
        self.number = number
        self.isCancelled = isCancelled
        self.tracker = tracker
    }

    /// Whether it no longer counts after a cancellation that covers it.
    fileprivate func ends(with cancellation: EffectCancellation) -> Bool {
        endsWithChild && !cancellation.sparesWork || dismissalDepth >= cancellation.depth
    }
}

/// The actions of children, and those that somebody waits for, that are in the mailbox, in their order, so that they can be
/// made not to count.
struct EffectReplies {
    /// Those that count.
    private var origins: [ReplyOrigin] = []
    /// The place in `origins` of the one whose turn is next.
    private var next = 0

    mutating func append(_ origin: ReplyOrigin) {
        if !origin.isCancelled { origins.append(origin) }
    }

    /// Takes note that the one whose turn is next has come to it.
    ///
    /// - Returns: whether it still counts.
    mutating func take(_ origin: ReplyOrigin) -> Bool {
        if origin.isCancelled { return false }
        next += 1
        if next == origins.count {
            origins.removeAll(keepingCapacity: next <= 64)
            next = 0
        } else if next >= 1_024, next * 2 >= origins.count {
            origins.removeFirst(next)
            next = 0
        }
        return origin.tracker?.isCancelled != true
    }

    /// Makes those that a cancellation covers, and that were asked for before it, not count.
    ///
    /// - Complexity: O(*n*) with *n* that still count.
    mutating func cancel(_ cancellation: EffectCancellation, before number: UInt64) {
        guard next < origins.count else { return }
        origins.removeFirst(next)
        next = 0
        origins.removeAll { origin in
            origin.isCancelled =
                origin.number < number && origin.ends(with: cancellation) && cancellation.covers(origin.path)
            return origin.isCancelled
        }
    }
}
