/// An action that an effect has been asked to send, and that a store has not reduced yet.
@usableFromInline
struct EffectReply: Sendable {
    let action: any Sendable
    /// What can cancel the action; nil if nothing can, and no tracker waits for it.
    let origin: ReplyOrigin?
}

/// The origin of an action in the mailbox that an effect has been asked to send. It decides whether the action is
/// dropped.
@usableFromInline
final class ReplyOrigin: @unchecked Sendable {
    // Sound: messages retain origins, but only the owner of the store's turn reads them.

    /// What can cancel the action, besides the effects that wait for it.
    enum Fate {
        /// Its step of a group or a concatenation, which can be cancelled until the action is reduced.
        case step(EffectJob, isDismissal: Bool)
        /// The removal of its child. It was sent within the turn of the action that returned the effect.
        case child
        /// A cancellation of all effects, because it follows other effects.
        case effects
        /// Nothing: it was sent as the reducer returned.
        case none
    }

    let fate: Fate
    let path: EffectPath
    /// The number of steps of the path that lead to the child that the action dismisses; 0 if it dismisses no child.
    let dismissalDepth: UInt16
    /// Whether it is dropped once the child at the path has been removed.
    let endsWithChild: Bool
    /// Whether its child is known to have been removed.
    fileprivate var isCancelled = false
    /// The position of the request in the order of all numbers.
    let number: UInt64
    /// The tracker of the effects that wait for it to be reduced, if there are any.
    @usableFromInline let tracker: EffectTracker?
    /// Records that are not needed after it. They contain user keys, which are released with the message, after the
    /// turn.
    fileprivate var released: [DepartedChildren] = []

    init(_ scope: EffectScope, _ fate: Fate, number: UInt64, tracker: EffectTracker?) {
        self.fate = fate
        path = scope.path
        dismissalDepth = scope.isDismissal ? UInt16(clamping: scope.presentationDepth) : 0
        endsWithChild = scope.endsWithChild
        self.number = number
        self.tracker = tracker
    }

    /// Returns whether a cancellation that covers the action drops it.
    ///
    /// - Parameters:
    ///   - depth: The number of steps to the removed child.
    ///   - sparesWork: Whether only dismissals end with that child.
    fileprivate func ends(withChildAt depth: Int, sparesWork: Bool) -> Bool {
        endsWithChild && !sparesWork || dismissalDepth >= depth
    }
}

/// The actions in the mailbox that effects have been asked to send and that have no job of their own, with what has
/// cancelled them.
///
/// The removal of a child is only recorded, and looked up when an action is about to be reduced: many children can be
/// removed while many actions are pending.
struct EffectReplies {
    /// The origins of children's actions that are not known to be cancelled; nil for those that have been reduced.
    private var origins: [ReplyOrigin?] = []
    /// The index in `origins` of the action that is reduced next.
    private var next = 0
    /// The children that were removed since `former` was completed.
    private var recent = DepartedChildren()
    /// The children that were removed before, while an action is pending that is older than the last removal.
    private var former = DepartedChildren()
    /// The number up to which all effects were cancelled.
    private var lastCancelled: UInt64 = 0

    /// Whether ``take(_:)`` compares the path of an action, and so can run user code.
    var looksAtPaths: Bool { !recent.isEmpty || !former.isEmpty }

    mutating func append(_ origin: ReplyOrigin) {
        if case .child = origin.fate { origins.append(origin) }
    }

    /// Records that an action is about to be reduced.
    ///
    /// - Returns: `true` if nothing recorded here has cancelled it.
    /// - Complexity: O(*n*), where *n* is the number of steps of its path.
    mutating func take(_ origin: ReplyOrigin) -> Bool {
        switch origin.fate {
        case .child: takeNext(origin)
        case .effects: origin.number > lastCancelled
        case .step, .none: true
        }
    }

    /// Cancels the actions that follow other effects, because all effects up to a number are cancelled.
    mutating func cancelAll(upTo number: UInt64) { lastCancelled = number }

    private mutating func takeNext(_ origin: ReplyOrigin) -> Bool {
        defer { forgetDepartures(after: origin) }
        if origin.isCancelled { return false }
        origins[next] = nil
        next += 1
        if next == origins.count {
            origins.removeAll(keepingCapacity: next <= 64)
            next = 0
        } else if next >= 1_024, next * 2 >= origins.count {
            origins.removeFirst(next)
            next = 0
        }
        return !former.haveEnded(origin) && !recent.haveEnded(origin)
    }

    /// Cancels the older actions of the children that a cancellation covers.
    ///
    /// - Complexity: O(*n*), where *n* is the number of steps of the path of one removed child. For a table that only
    ///   reports that entries have been removed: O(*n*), where *n* is the number of pending actions, except those that
    ///   were checked before if the table is unchanged.
    mutating func cancel(_ cancellation: EffectCancellation, before number: UInt64) {
        guard next < origins.count else { return }
        switch cancellation.whatHasGone {
        case .all(let path):
            recent.insert(path, number: number, sparesWork: cancellation.sparesWork)
        case let gone:
            // Not recorded, because that would retain the former contents of the table.
            let look = DepartedChildren.Look(gone, sparesWork: cancellation.sparesWork)
            let last = look.map { max(recent.lastLook($0), former.lastLook($0)) } ?? 0
            if let look { recent.insert(look, number: number) }
            cancel(after: last) { origin in
                origin.number < number
                    && origin.ends(withChildAt: gone.depth, sparesWork: cancellation.sparesWork)
                    && gone.covers(origin.path)
            }
        }
    }

    /// Cancels the actions of children that are no longer in the state, however they were removed.
    ///
    /// - Complexity: O(*n*), where *n* is the number of pending actions.
    mutating func cancel(ofChildrenMissingBy search: inout ChildSearch) {
        cancel { origin in
            let way = origin.path.way
            return origin.endsWithChild && way.hasGone(by: &search)
                || origin.dismissalDepth > 0 && way.presentationIsOver(by: &search)
        }
    }

    /// - Parameter last: The number up to which actions are known not to be cancelled. Actions are in the order of
    ///   their numbers.
    private mutating func cancel(after last: UInt64 = 0, where hasGone: (ReplyOrigin) -> Bool) {
        var first = origins.endIndex
        while first > next, let origin = origins[first - 1], origin.number > last { first -= 1 }
        let remaining = origins[first...].filter { origin in
            guard let origin else { return false }
            origin.isCancelled = hasGone(origin)
            return !origin.isCancelled
        }
        if remaining.count < origins.count - first { origins.replaceSubrange(first..., with: remaining) }
    }

    /// Discards the records that apply to no later action. Actions are in the order of their numbers.
    private mutating func forgetDepartures(after origin: ReplyOrigin) {
        guard looksAtPaths else { return }
        if next == origins.count {
            origin.released = [former, recent]
            (former, recent) = (DepartedChildren(), DepartedChildren())
        } else if origin.number > former.lastNumber {
            // This keeps no more than was removed while all pending actions arrived, even if the mailbox is never
            // empty.
            origin.released = [former]
            (former, recent) = (recent, DepartedChildren())
        }
    }
}

/// The children that have been removed, and when: a tree in which a child is found by its path. A plain value.
private struct DepartedChildren {
    private struct Place {
        /// When a child was last removed from here with its effects.
        var lastEnd: UInt64 = 0
        /// When a child was last removed whose effects outlive it, so that only its dismissals end.
        var lastEndOfDismissals: UInt64 = 0
        var children: [EffectStep: Place] = [:]

        mutating func insert(_ steps: ArraySlice<EffectStep>, number: UInt64, sparesWork: Bool) {
            if let step = steps.first {
                children[step, default: Place()].insert(steps.dropFirst(), number: number, sparesWork: sparesWork)
            } else if sparesWork {
                lastEndOfDismissals = number
            } else {
                lastEnd = number
            }
        }

        /// - Parameter depth: The number of steps to this place.
        func hasEnded(_ origin: ReplyOrigin, depth: Int) -> Bool {
            origin.number < lastEnd && origin.ends(withChildAt: depth, sparesWork: false)
                || origin.number < lastEndOfDismissals && origin.ends(withChildAt: depth, sparesWork: true)
        }
    }

    /// A search for removed entries of a table: where it took place, and the version of the entries.
    struct Look: Hashable {
        let path: EffectPath
        let sparesWork: Bool
        let version: ExactIdentity

        /// Returns nil if the cancellation has no version of the entries.
        init?(_ gone: EffectCancellation, sparesWork: Bool) {
            guard case .elements(let path, _, let version?) = gone else { return nil }
            (self.path, self.sparesWork, self.version) = (path, sparesWork, version)
        }
    }

    private var root = Place()
    /// When each search last took place.
    private var looks: [Look: UInt64] = [:]
    /// The number of the last removal or search; 0 if there was neither.
    private(set) var lastNumber: UInt64 = 0

    var isEmpty: Bool { lastNumber == 0 }

    mutating func insert(_ look: Look, number: UInt64) {
        looks[look] = number
        lastNumber = number
    }

    /// Returns the number up to which actions have been checked; 0 if there was no search.
    func lastLook(_ look: Look) -> UInt64 { looks[look] ?? 0 }

    mutating func insert(_ path: EffectPath, number: UInt64, sparesWork: Bool) {
        root.insert(path.steps[...], number: number, sparesWork: sparesWork)
        lastNumber = number
    }

    /// Returns whether an action is dropped because one of the children was removed after the action was requested.
    func haveEnded(_ origin: ReplyOrigin) -> Bool {
        if origin.number > lastNumber { return false }
        var place = root
        if place.hasEnded(origin, depth: 0) { return true }
        for (index, step) in origin.path.steps.enumerated() {
            guard let child = place.children[step] else { return false }
            if child.hasEnded(origin, depth: index + 1) { return true }
            place = child
        }
        return false
    }
}
