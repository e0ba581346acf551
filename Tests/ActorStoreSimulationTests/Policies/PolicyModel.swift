@testable import ActorStore

/// The reference for the policies of effects: which parts of which effects have begun, wait, run and have ended.
///
/// It gets the events of the store's log, in that order and with its times. So of two simultaneous events the log
/// determines the order, and nothing else: beginnings, cancellations and drops are decided by the model itself. It
/// visits all nodes for each question, and walks each effect from its root for each change.
struct PolicyModel {
    var now = Duration.zero
    var wholes: [WorkWhole] = []
    /// Accepted actions of effects, in the order of their reduction.
    var mailbox: [Sent] = []
    /// Operations that begin in this turn, which the log has to contain next.
    var beginnings: [WorkNode] = []
    var queues: [Identity: Queue] = [:]
    var throttles: [Identity: Throttle] = [:]
    /// The number of dropped actions.
    var lateActions = 0
    /// The number of sends behind other operations that were reached after their child had gone. Such a step may send
    /// its action, which is dropped then, or not.
    private(set) var vainSteps = 0
    var isShuttingDown = false
    private(set) var generations: [Int: Int] = [:]
    private(set) var children: Set<Int> = [0, 1]

    struct Sent {
        let note: WorkNote
        let next: WorkRequest?
        let node: WorkNode

        var isLost: Bool {
            let ticket = node.whole.ticket
            return node.hasLostActions || ticket.tracksFeedback && ticket.isCancelled
        }
    }

    struct Identity: Hashable {
        let place: WorkPlace
        let key: WorkKey
    }

    var nodes: [WorkNode] { wholes.flatMap(\.nodes) }

    // MARK: Beginning and ending

    /// Accepts an effect.
    mutating func take(_ request: WorkRequest, base: Int, child: Int?, _ ticket: WorkTicketState) {
        if let child, !children.contains(child) { return }
        let place = WorkPlace(child: child, generation: child.flatMap { generations[$0] } ?? 0)
        let whole = WorkWhole(request, base: base, turn: wholes.count, place: place, ticket: ticket)
        wholes.append(whole)
        // A send that is the whole effect is sent when the reducer returns, and dropped later.
        if ticket.isCancelled, case .send = whole.root.kind { lateActions += 1 }
        for node in whole.nodes where ticket.isCancelled || isShuttingDown && node.endsOnShutdown { cancel(node) }
        advance(whole.root, isFirst: true)
    }

    /// Begins everything that can begin.
    ///
    /// - Parameter isFirst: Whether this is the turn of the requesting action.
    mutating func advance(_ node: WorkNode, isFirst: Bool = false) {
        switch node.kind {
        case .merge:
            for part in node.children { advance(part, isFirst: isFirst) }
        case .concatenate:
            for part in node.children {
                advance(part, isFirst: isFirst)
                if !part.isOver { return }
            }
        case .delay:
            advance(node.children[0], isFirst: isFirst)
            guard node.children[0].isOver else { return }
            if node.children[0].isWaitOver { return advance(node.children[1], isFirst: isFirst) }
            for part in node.children[1].andParts { end(part) }
        case .group where node.isOpen && node.phase != .ended:
            advance(node.children[0], isFirst: isFirst)
            if node.children[0].isOver { end(node) }
        case .piece, .group, .send, .cancel:
            if node.phase == .planned { begin(node, isFirst: isFirst) }
        }
    }

    private mutating func begin(_ node: WorkNode, isFirst: Bool) {
        if node.isCancelled {
            if case .send = node.kind, node.groups.isEmpty, hasGone(node.whole.place) { vainSteps += 1 }
            return endVainly(node)
        }
        switch node.kind {
        case .send(let note, let next):
            node.wasReachedLater = !isFirst
            node.phase = .ended
            mailbox.append(Sent(note: note, next: next, node: node))
        case .cancel:
            node.phase = .ended
            if let key = node.terms?.key { cancel(key, at: node.whole.place, for: node) }
        default:
            guard admit(node) else { return endVainly(node) }
            if node.isPiece { beginnings.append(node) }
            if node.isGroup, case .runs = node.phase {
                node.isOpen = true
                advance(node, isFirst: isFirst)
            }
        }
    }

    private func hasGone(_ place: WorkPlace) -> Bool {
        place.child.map { generations[$0, default: 0] != place.generation } ?? false
    }

    private mutating func endVainly(_ node: WorkNode) {
        for part in node.andParts { end(part) }
    }

    mutating func end(_ node: WorkNode) {
        node.phase = .ended
        guard let identity = node.identity else { return }
        queues[identity]?.leave(node, at: now)
    }

    /// Begins a group that is due, or that has a place in its queue.
    mutating func open(_ group: WorkNode) {
        group.isOpen = true
        group.opening = now
        group.phase = .runs(since: now)
        advance(group.whole.root)
    }

    // MARK: Cancelling

    /// Cancels a node with all of its parts.
    func cancel(_ node: WorkNode) {
        for part in node.andParts { part.isCancelled = true }
    }

    /// Cancels all operations with an identity.
    ///
    /// - Parameter canceller: The cancelling node. It cancels neither the groups around it, nor itself, nor later parts
    ///   of its effect that were not reached: a part of a merge may have begun before one further to the front.
    func cancel(_ key: WorkKey, at place: WorkPlace, for canceller: WorkNode? = nil) {
        for node in nodes where node.identity == Identity(place: place, key: key) {
            if let canceller, node.whole === canceller.whole, node.order >= canceller.order, node.phase == .planned {
                continue
            }
            if node === canceller { continue }
            if canceller?.groups.contains(where: { $0 === node }) == true { continue }
            cancel(node)
        }
    }

    /// Cancels the running effects of an action.
    func cancel(_ ticket: WorkTicketState) {
        ticket.isCancelled = true
        for node in ticket.wholes.flatMap(\.nodes) where node.phase != .ended { node.isCancelled = true }
    }

    /// Cancels everything. An action sent in the turn of its request, and not in a group, was sent by the reducer: only
    /// a shutdown withdraws it.
    func cancelAll(isShutdown: Bool = false) {
        for node in nodes where isShutdown || !node.wasSentByReducer { node.isCancelled = true }
    }

    func cancelOnShutdown() {
        for node in nodes where node.endsOnShutdown { cancel(node) }
    }

    mutating func remove(child: Int) {
        guard children.remove(child) != nil else { return }
        let place = WorkPlace(child: child, generation: generations[child] ?? 0)
        for whole in wholes where whole.place == place && !whole.isDetached {
            for node in whole.nodes { node.isCancelled = true }
        }
        // An interval of a child ends with the child, also for detached operations.
        throttles = throttles.filter { $0.key.place != place }
        generations[child, default: 0] += 1
    }

    mutating func add(child: Int) { children.insert(child) }
}

extension WorkNode {
    var identity: PolicyModel.Identity? {
        guard isPiece || isGroup else { return nil }
        return terms.map { PolicyModel.Identity(place: whole.place, key: $0.key) }
    }
}
