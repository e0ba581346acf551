@testable import ActorStore

/// A part of an effect in the model: an operation, a step, or a combination of others.
final class WorkNode {
    enum Kind {
        case piece(WorkTimeline)
        case send(WorkNote, WorkRequest?)
        case cancel
        case merge, concatenate
        /// A wait and its continuation.
        case delay
        case group
    }

    enum Phase: Equatable {
        case planned
        /// Until its time has come.
        case waits(until: Duration)
        case queued
        /// Since when. An operation whose code has not begun, and a group that was in a queue, is not open yet.
        case runs(since: Duration)
        case ended
    }

    let kind: Kind
    let number: Int
    /// Ascending in the order of the parts.
    let order: Int
    private(set) var lastOrder: Int
    /// Its identity, if it has one, and that of a step's cancellation.
    let terms: WorkTerms?
    let endsOnShutdown: Bool
    unowned let whole: WorkWhole
    /// The group around it.
    private(set) weak var group: WorkNode?
    private(set) var children: [WorkNode] = []

    var phase = Phase.planned
    var isCancelled = false
    var isOpen = false
    /// The beginning of its code, or for a group that had to wait, of its parts.
    var opening: Duration?
    var nextMark = 0
    /// The end of its code; nil before that.
    var outcome: BureauLog.Outcome?
    var hasFailed = false
    /// Whether a wait has ended.
    var isWaitOver = false
    /// For a debounce, the first request that it replaces.
    var burst: Duration?
    /// Whether a step was not reached in the turn of its action.
    var wasReachedLater = false

    init(
        _ work: Work,
        in group: WorkNode?,
        of whole: WorkWhole,
        endsOnShutdown: Bool = false,
        limits: [WorkPiece.Wrapper] = []
    ) {
        var (work, endsOnShutdown, limits) = (work, endsOnShutdown, limits)
        while true {
            if case .limited(let tenths, let isHandled, let inner) = work {
                limits.insert(.limit(tenths: tenths, isHandled: isHandled), at: 0)
                work = inner
            } else if case .cancelledOnShutdown(_, let inner) = work, inner.takesFlag {
                endsOnShutdown = true
                work = inner
            } else {
                break
            }
        }
        self.whole = whole
        self.group = group
        self.endsOnShutdown = endsOnShutdown || work.isAlwaysFlagged
        order = whole.nextOrder()
        lastOrder = order
        let number = { (index: Int) in whole.base + index }
        var (parts, isGroup): ([Work], Bool) = ([], false)
        switch work {
        case .piece(let piece):
            self.number = number(piece.index)
            kind = .piece(WorkTimeline(self.number, piece.body, piece.wrappers + limits))
            terms = piece.terms
        case .send(let index, let next):
            (self.number, terms) = (number(index), nil)
            kind = .send(WorkNote(sender: self.number, beat: 0), next)
        case .cancel(let index, let key):
            (self.number, kind, terms) = (number(index), .cancel, WorkTerms(key: key))
        case .merge(let inner): (self.number, kind, terms, parts) = (0, .merge, nil, inner)
        case .concatenate(let inner): (self.number, kind, terms, parts) = (0, .concatenate, nil, inner)
        case .group(let index, let given, let inner):
            (self.number, kind, terms, parts, isGroup) = (number(index), .group, given, [inner], true)
        case .cancelledOnShutdown(let index, let inner):
            (self.number, kind, terms, parts, isGroup) = (number(index), .group, nil, [inner], true)
        case .delayed(let index, let milliseconds, let inner):
            (self.number, kind, terms) = (0, .delay, nil)
            whole.nodes.append(self)
            let wait = WorkNode(waiting: milliseconds, number(index), in: group, of: whole, limits)
            children = [wait, WorkNode(.concatenate(inner), in: group, of: whole, limits: limits)]
            lastOrder = whole.lastOrder
            return
        case .limited: fatalError("It has been taken off.")
        }
        whole.nodes.append(self)
        children = parts.map { WorkNode($0, in: isGroup ? self : group, of: whole, limits: limits) }
        lastOrder = whole.lastOrder
    }

    private init(
        waiting milliseconds: Int,
        _ number: Int,
        in group: WorkNode?,
        of whole: WorkWhole,
        _ limits: [WorkPiece.Wrapper]
    ) {
        (self.whole, self.group, self.number) = (whole, group, number)
        order = whole.nextOrder()
        (lastOrder, terms, endsOnShutdown) = (order, nil, false)
        kind = .piece(WorkTimeline(number, nil, [.delay(milliseconds: milliseconds)] + limits))
        whole.nodes.append(self)
    }

    var isPiece: Bool { if case .piece = kind { true } else { false } }
    var isGroup: Bool { if case .group = kind { true } else { false } }
    /// Whether it has sent its action in the turn of the requesting action, and is not in a group.
    var wasSentByReducer: Bool {
        if case .send = kind { phase == .ended && group == nil && !wasReachedLater } else { false }
    }
    var timeline: WorkTimeline? { if case .piece(let timeline) = kind { timeline } else { nil } }

    /// Whether it has ended, with all of its parts.
    var isOver: Bool {
        switch kind {
        case .merge, .concatenate, .delay: children.allSatisfy(\.isOver)
        default: phase == .ended
        }
    }

    /// Whether it counts for policies.
    var counts: Bool { if case .runs = phase { !isCancelled } else { false } }

    /// The groups around it, the smallest first.
    var groups: [WorkNode] { Array(sequence(first: self, next: \.group).dropFirst()) }

    /// Whether its actions are no longer accepted, because it was cancelled, or a group around it.
    var hasLostActions: Bool { isCancelled || groups.contains(where: \.isCancelled) }

    /// This one and all of its parts.
    var andParts: [WorkNode] { whole.nodes.filter { (order...lastOrder).contains($0.order) } }
}

extension Work {
    /// Whether this, and not a group around it, is cancelled on shutdown.
    fileprivate var takesFlag: Bool {
        switch self {
        case .piece, .group, .cancelledOnShutdown: true
        case .limited(_, _, let inner): inner.takesFlag
        default: false
        }
    }

    fileprivate var isAlwaysFlagged: Bool {
        switch self {
        case .piece(let piece): piece.isTimer
        case .cancelledOnShutdown: true
        default: false
        }
    }
}

/// All requests of one action.
final class WorkWhole {
    let base: Int
    /// Grows with each effect.
    let turn: Int
    /// The child whose reducer was called, and the number of its replacements; nil for the root's own.
    let place: WorkPlace
    let isDetached: Bool
    let ticket: WorkTicketState
    var nodes: [WorkNode] = []
    private(set) var lastOrder = 0
    /// The first of the nodes.
    var root: WorkNode { nodes[0] }

    init(_ request: WorkRequest, base: Int, turn: Int, place: WorkPlace, ticket: WorkTicketState) {
        (self.base, self.turn, self.place, self.ticket) = (base, turn, place, ticket)
        isDetached = request.isDetached
        _ = WorkNode(request.work, in: nil, of: self)
        ticket.wholes.append(self)
    }

    fileprivate func nextOrder() -> Int {
        lastOrder += 1
        return lastOrder
    }
}

/// The reducer: that of the root, or of a child distinguished from its predecessors.
struct WorkPlace: Hashable {
    var child: Int?
    var generation = 0
}

/// The awaiting and cancelling callers of an action's effects.
final class WorkTicketState {
    let tracksFeedback: Bool
    var isCancelled = false
    var hasFailed = false
    var isTold = false
    var wholes: [WorkWhole] = []

    init(tracksFeedback: Bool = false) { self.tracksFeedback = tracksFeedback }

    var isOver: Bool { wholes.allSatisfy(\.root.isOver) }
}
