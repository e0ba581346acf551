/// An action that an effect has been asked to send, and that a store has still to reduce.
@usableFromInline
struct EffectReply: Sendable {
    let action: any Sendable
    /// By what it can be lost; nil if it counts in any case, and nobody waits for it.
    let origin: ReplyOrigin?
}

/// Where an action comes from that an effect has been asked to send, and that waits in the mailbox: what makes it not
/// count meanwhile.
@usableFromInline
final class ReplyOrigin: @unchecked Sendable {
    // Sound: messages carry origins, but only the owner of the store's turn looks into them.

    /// What decides whether it counts, besides the effects that wait for it.
    enum Fate {
        /// Its step of a group, or of a concatenation, which can be cancelled until the action is reduced.
        case step(EffectJob, isDismissal: Bool)
        /// The end of the child that asked for it, in the turn of the action that it is an effect of.
        case child
        /// A cancellation of all effects: it follows others.
        case effects
        /// Nothing: it was sent when the reducer returned.
        case none
    }

    let fate: Fate
    let path: EffectPath
    /// How many steps of the path lead to the child that the action takes away; 0 if it takes none away.
    let dismissalDepth: UInt16
    /// Whether it no longer counts when the child at the path has gone.
    let endsWithChild: Bool
    /// Whether its child is known to have gone.
    fileprivate var isCancelled = false
    /// When it was asked for, in the order of all that is asked for.
    let number: UInt64
    /// That of the effects which wait for it to be reduced, if there are any.
    @usableFromInline let tracker: EffectTracker?
    /// Notes that nobody needs after it. They hold keys of users, which are released with the message, after the turn.
    fileprivate var released: [DepartedChildren] = []

    init(_ scope: EffectScope, _ fate: Fate, number: UInt64, tracker: EffectTracker?) {
        self.fate = fate
        path = scope.path
        dismissalDepth = scope.isDismissal ? UInt16(clamping: scope.presentationDepth) : 0
        endsWithChild = scope.endsWithChild
        self.number = number
        self.tracker = tracker
    }

    /// Whether it no longer counts after a cancellation that covers it.
    ///
    /// - Parameters:
    ///   - depth: How many steps lead to the child that has gone.
    ///   - sparesWork: Whether only dismissals end with that child.
    fileprivate func ends(withChildAt depth: Int, sparesWork: Bool) -> Bool {
        endsWithChild && !sparesWork || dismissalDepth >= depth
    }
}

/// The actions that effects have been asked to send and that are in the mailbox, as far as they are not steps that have
/// jobs: what has made them not count meanwhile.
///
/// That a child has gone is only noted, and looked up for an action when its turn comes: many children can go while
/// many actions wait.
struct EffectReplies {
    /// Those of children that count, as far as is known; nil for those that have had their turns.
    private var origins: [ReplyOrigin?] = []
    /// The place in `origins` of the one whose turn is next.
    private var next = 0
    /// The children that have gone since `former` was complete.
    private var recent = DepartedChildren()
    /// Those that have gone before, as long as an action waits that was asked for before the last of them.
    private var former = DepartedChildren()
    /// All effects were cancelled that had been asked for up to this one.
    private var lastCancelled: UInt64 = 0

    /// Whether ``take(_:)`` looks at the path of an action, and so can run code of users.
    var looksAtPaths: Bool { !recent.isEmpty || !former.isEmpty }

    mutating func append(_ origin: ReplyOrigin) {
        if case .child = origin.fate { origins.append(origin) }
    }

    /// Takes note that the turn of an action has come.
    ///
    /// - Returns: whether it still counts, as far as that is known here.
    /// - Complexity: O(*n*) with *n* steps of its path.
    mutating func take(_ origin: ReplyOrigin) -> Bool {
        switch origin.fate {
        case .child: takeNext(origin)
        case .effects: origin.number > lastCancelled
        case .step, .none: true
        }
    }

    /// Makes those not count that follow other effects, because all that were asked for up to one of them are
    /// cancelled.
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

    /// Makes those of children not count that a cancellation covers, and that were asked for before it.
    ///
    /// - Complexity: O(*n*) with *n* steps of the path of one child that has gone. For a table that only tells that
    ///   some of its entries have gone: O(*n*) with *n* actions that wait, but for those that were looked at before, if
    ///   the table is still the same.
    mutating func cancel(_ cancellation: EffectCancellation, before number: UInt64) {
        guard next < origins.count else { return }
        switch cancellation.whatHasGone {
        case .all(let path):
            recent.insert(path, number: number, sparesWork: cancellation.sparesWork)
        case let gone:
            // Not noted, because that would keep what was left of the table.
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

    /// Makes those of children not count that are no longer in a state, whatever has taken them away.
    ///
    /// - Complexity: O(*n*) with *n* actions that wait.
    mutating func cancel(ofChildrenMissingBy search: inout ChildSearch) {
        cancel { origin in
            let way = origin.path.way
            return origin.endsWithChild && way.hasGone(by: &search)
                || origin.dismissalDepth > 0 && way.presentationIsOver(by: &search)
        }
    }

    /// - Parameter last: Of those that were asked for up to this one it is known that they count. They are in the order
    ///   of their numbers.
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

    /// Forgets what concerns no action that is still to come. These are in the order of their numbers.
    private mutating func forgetDepartures(after origin: ReplyOrigin) {
        guard looksAtPaths else { return }
        if next == origins.count {
            origin.released = [former, recent]
            (former, recent) = (DepartedChildren(), DepartedChildren())
        } else if origin.number > former.lastNumber {
            // So that no more is kept than has gone while all that waits has come, also if something always waits.
            origin.released = [former]
            (former, recent) = (recent, DepartedChildren())
        }
    }
}

/// Which children have gone, and when: a tree in which one finds a child by its path. A plain value.
private struct DepartedChildren {
    private struct Place {
        /// When a child has gone from here the last time, with its work.
        var lastEnd: UInt64 = 0
        /// When one has gone whose work outlives it, and only its dismissals end.
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

        /// - Parameter depth: How many steps lead here.
        func hasEnded(_ origin: ReplyOrigin, depth: Int) -> Bool {
            origin.number < lastEnd && origin.ends(withChildAt: depth, sparesWork: false)
                || origin.number < lastEndOfDismissals && origin.ends(withChildAt: depth, sparesWork: true)
        }
    }

    /// Where it was looked for entries of a table that have gone, and what changes with the entries.
    struct Look: Hashable {
        let path: EffectPath
        let sparesWork: Bool
        let version: ExactIdentity

        /// nil if nothing tells whether the entries are the same.
        init?(_ gone: EffectCancellation, sparesWork: Bool) {
            guard case .elements(let path, _, let version?) = gone else { return nil }
            (self.path, self.sparesWork, self.version) = (path, sparesWork, version)
        }
    }

    private var root = Place()
    /// When it was looked there the last time.
    private var looks: [Look: UInt64] = [:]
    /// When the last one has gone, or was looked for; 0 if none was.
    private(set) var lastNumber: UInt64 = 0

    var isEmpty: Bool { lastNumber == 0 }

    mutating func insert(_ look: Look, number: UInt64) {
        looks[look] = number
        lastNumber = number
    }

    /// Up to when what was asked for has been looked at; 0 if nothing has.
    func lastLook(_ look: Look) -> UInt64 { looks[look] ?? 0 }

    mutating func insert(_ path: EffectPath, number: UInt64, sparesWork: Bool) {
        root.insert(path.steps[...], number: number, sparesWork: sparesWork)
        lastNumber = number
    }

    /// Whether an action no longer counts because one of them has gone after it was asked for.
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
