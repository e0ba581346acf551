@testable import ActorStore

/// Compares the log of a bureau with the model, event by event.
struct PolicyAudit {
    private var model = PolicyModel()
    private var tickets: [Int: WorkTicketState] = [:]
    /// The accepted actions, and those of them not reduced.
    private var accepted: Set<WorkNote> = []
    private var lost: Set<WorkNote> = []
    /// The sender of the action that is being reduced.
    private var sender: WorkNode?
    private var hasShutDown = false

    /// - Throws: A `Depot.Complaint` that names the first unexpected event, or a missing one.
    static func check(_ log: BureauLog, lateActions: Int, failures: Int) throws {
        var audit = PolicyAudit()
        let events = log.events.elements
        for (index, (time, event)) in events.enumerated() {
            do {
                try audit.passTime(to: time)
                try audit.note(event)
            } catch {
                let before = events[...index].suffix(60).map { "  \($0.time) \($0.event)" }.joined(separator: "\n")
                throw Depot.Complaint(description: "\(error)\nafter\n\(before)")
            }
        }
        try audit.passTime(to: audit.model.now + .seconds(1))
        try Depot.require(audit.model.wholes.allSatisfy(\.root.isOver), "An effect has not ended.")
        let dropped = audit.model.lateActions...audit.model.lateActions + audit.model.vainSteps
        try Depot.require(dropped.contains(lateActions), "\(lateActions) actions were dropped, and not \(dropped).")
        let failed = audit.model.nodes.count { $0.hasFailed }
        try Depot.require(failed == failures, "There are \(failures) errors, and not \(failed).")
    }

    // MARK: Time

    /// Time passes only when nothing else can happen: due events have happened by then.
    private mutating func passTime(to time: Duration) throws {
        if time == model.now { return }
        while let group = silentGroups.first { endWait(of: group) }
        try Depot.require(model.beginnings.isEmpty, "\(numbers(model.beginnings)) have not begun.")
        dropLost()
        try Depot.require(model.mailbox.isEmpty, "\(model.mailbox.map(\.note)) have not been reduced.")
        for node in model.nodes where node.isPiece { try check(node, before: time) }
        for (base, ticket) in tickets where ticket.isOver {
            try Depot.require(ticket.isTold, "finish() of \(base) has not returned.")
        }
        try Depot.require(
            !model.isShuttingDown || hasShutDown || model.wholes.contains { !$0.root.isOver },
            "The shutdown has not returned."
        )
        model.now = time
    }

    private func check(_ node: WorkNode, before time: Duration) throws {
        switch node.phase {
        case .planned, .ended: return
        case .waits, .queued, .runs:
            try Depot.require(!node.isCancelled, "\(node.number) was cancelled, and has not ended.")
        }
        switch node.phase {
        case .waits(let due): try Depot.require(due >= time, "\(node.number) was due at \(due).")
        case .runs:
            guard let opening = node.opening, let timeline = node.timeline else {
                throw Depot.Complaint(description: "\(node.number) was to begin.")
            }
            let next = node.nextMark < timeline.marks.count ? timeline.marks[node.nextMark].time : timeline.end
            try Depot.require(opening + next >= time, "\(node.number) should have continued at \(opening + next).")
        default: break
        }
    }

    // MARK: Events outside of the log

    /// Waiting groups that are due, or were cancelled: the log does not contain the ends of their waits. The beginnings
    /// of their parts show them.
    private var silentGroups: [WorkNode] {
        model.nodes.filter { group in
            guard group.isGroup, !group.isOpen else { return false }
            switch group.phase {
            case .planned, .ended: return false
            case .waits(let due): return group.isCancelled || due <= model.now
            case .queued: return group.isCancelled
            case .runs: return true
            }
        }
    }

    private mutating func endWait(of group: WorkNode) {
        if !group.isCancelled { return model.open(group) }
        for part in group.andParts { model.end(part) }
        model.advance(group.whole.root)
    }

    /// Ends waits of groups until an operation begins.
    private mutating func explain(_ node: WorkNode, isWaiting: Bool) throws {
        func isExplained() -> Bool {
            guard model.beginnings.first === node else { return false }
            if case .runs = node.phase { return !isWaiting }
            return isWaiting
        }
        let identities = ([node] + node.groups).compactMap(\.identity)
        while !isExplained() {
            let groups = silentGroups
            let around = groups.first { group in node.groups.contains { $0 === group } }
            let inItsWay = groups.first { group in
                group.isCancelled && (group.whole === node.whole || group.isInQueue(ofAnyOf: identities))
            }
            guard let group = around ?? inItsWay else {
                let expected = model.beginnings.first.map { "\($0.number), \($0.phase)" } ?? "nothing"
                throw Depot.Complaint(description: "\(node.number) must not begin like this, but \(expected).")
            }
            endWait(of: group)
            beginInOrder(node)
        }
        model.beginnings.removeFirst()
    }

    /// Begins an operation before those that are written behind it: the group in front of it can have left before the
    /// effect was requested.
    private mutating func beginInOrder(_ node: WorkNode) {
        guard let index = model.beginnings.firstIndex(where: { $0 === node }),
            model.beginnings[..<index].allSatisfy({ $0.whole === node.whole && $0.order > node.order })
        else { return }
        model.beginnings.insert(model.beginnings.remove(at: index), at: 0)
    }

    private mutating func dropLost() {
        for sent in model.mailbox where sent.isLost {
            lost.insert(sent.note)
            model.lateActions += 1
        }
        model.mailbox.removeAll(where: \.isLost)
    }

    // MARK: Events

    private mutating func note(_ event: BureauLog.Event) throws {
        switch event {
        case .began(let number, let isWaiting):
            return try explain(try node(number), isWaiting: isWaiting)
        case .opened, .entered, .left, .sends, .sent, .finished, .cancelTask:
            try noteOutsideTurn(event)
        case .reduces(.own(.ask(_, _, .batch))), .reduced(.own(.ask(_, _, .batch))):
            // Effects of a batch begin when all of its actions have been reduced.
            try noteInTurn(event)
        default:
            try Depot.require(model.beginnings.isEmpty, "\(numbers(model.beginnings)) have not begun.")
            try noteInTurn(event)
        }
    }

    private mutating func noteInTurn(_ event: BureauLog.Event) throws {
        switch event {
        case .reduces(.own(.note(let note, _))), .reduces(.child(_, .note(let note, _))): try beginReducing(note)
        case .reduced(.own(let action)): reduce(action, child: nil)
        case .reduced(.child(let child, let action)): reduce(action, child: child)
        case .reduced(.remove(let child)): model.remove(child: child)
        case .reduced(.add(let child)): model.add(child: child)
        case .ended(let number, let ending): try end(try node(number), ending)
        case .cancelAll: model.cancelAll()
        case .cancelID(let key): model.cancel(key, at: WorkPlace())
        case .shutDown(let drain):
            model.isShuttingDown = true
            if drain == .cancelEffects { model.cancelAll(isShutdown: true) } else { model.cancelOnShutdown() }
        case .hasShutDown:
            hasShutDown = true
            while let group = silentGroups.first { endWait(of: group) }
            dropLost()
            let running = model.wholes.filter { !$0.root.isOver }.map(\.base)
            try Depot.require(running.isEmpty, "The shutdown has not waited for \(running).")
            try Depot.require(model.mailbox.isEmpty, "The shutdown has not waited for \(model.mailbox.map(\.note)).")
        default: break
        }
    }

    private mutating func beginReducing(_ note: WorkNote) throws {
        dropLost()
        guard let first = model.mailbox.first, first.note == note else {
            let expected = model.mailbox.first.map { "\($0.note)" } ?? "nothing"
            throw Depot.Complaint(description: "\(note) must not be reduced, but \(expected).")
        }
        sender = model.mailbox.removeFirst().node
    }

    private mutating func reduce(_ action: Bureau.WorkAction, child: Int?) {
        switch action {
        case .ask(let request, let base, let ticket):
            let state = WorkTicketState(tracksFeedback: ticket == .dispatch(tracksFeedback: true))
            if case .dispatch = ticket { tickets[base] = state }
            model.take(request, base: base, child: child, state)
        case .note(let note, let next):
            guard let next, let sender else { return }
            let ticket = sender.whole.ticket
            let state = ticket.tracksFeedback ? ticket : WorkTicketState()
            model.take(next, base: note.sender / 1_000 * 1_000, child: child, state)
        }
    }

    private mutating func end(_ node: WorkNode, _ ending: BureauLog.Ending) throws {
        let expected: BureauLog.Ending = node.hasFailed ? .failed : node.isCancelled ? .cancelled : .done
        try Depot.require(ending == expected, "\(node.number) is \(expected), and not \(ending).")
        try Depot.require(node.outcome != nil || node.isCancelled, "\(node.number) has not done its work.")
        if node.hasFailed { node.whole.ticket.hasFailed = true }
        node.isWaitOver = node.outcome == .success && node.timeline?.result == .success && !node.isCancelled
        model.end(node)
        model.advance(node.whole.root)
    }

    private mutating func noteOutsideTurn(_ event: BureauLog.Event) throws {
        switch event {
        case .opened(let number): try open(try node(number))
        case .entered(let number, let attempt):
            let node = try node(number)
            try Depot.require(!node.isCancelled, "\(number) continues although it was cancelled.")
            try mark(node, .entered(attempt: attempt))
        case .sends(let note, let next): try send(note, next)
        case .sent(let note, let isAccepted):
            if note.beat == WorkNote.late(0).beat {
                try Depot.require(!isAccepted, "\(note) was accepted.")
                model.lateActions += 1
            } else {
                dropLost()
                let isWrong = isAccepted ? !accepted.contains(note) : accepted.contains(note) && !lost.contains(note)
                try Depot.require(!isWrong, "\(note) was accepted: \(isAccepted).")
            }
        case .left(let number, let outcome): try leave(try node(number), outcome)
        case .finished(let base, let hasFailed):
            guard let ticket = tickets[base] else { throw Depot.Complaint(description: "\(base) was never requested.") }
            // Groups cancelled while they waited are left of it.
            for group in silentGroups where group.isCancelled && group.whole.ticket === ticket { endWait(of: group) }
            try Depot.require(ticket.isOver, "finish() of \(base) has returned too early.")
            try Depot.require(ticket.hasFailed == hasFailed, "finish() of \(base) has thrown: \(hasFailed).")
            ticket.isTold = true
        case .cancelTask(let base): tickets[base].map { model.cancel($0) }
        default: break
        }
    }

    private mutating func open(_ node: WorkNode) throws {
        try Depot.require(!node.isCancelled, "\(node.number) begins although it was cancelled.")
        let identities = node.identity.map { [$0] } ?? []
        while node.phase == .queued,
            let group = silentGroups.first(where: { $0.isCancelled && $0.isInQueue(ofAnyOf: identities) })
        {
            endWait(of: group)
        }
        switch node.phase {
        case .waits(let due): try Depot.require(due <= model.now, "\(node.number) begins before \(due).")
        case .runs(let since): try Depot.require(since == model.now, "\(node.number) begins later than \(since).")
        default: throw Depot.Complaint(description: "\(node.number) begins while it is \(node.phase).")
        }
        node.phase = .runs(since: model.now)
        (node.isOpen, node.opening) = (true, model.now)
    }

    private func mark(_ node: WorkNode, _ mark: WorkTimeline.Mark) throws {
        guard let opening = node.opening, let timeline = node.timeline, node.nextMark < timeline.marks.count else {
            throw Depot.Complaint(description: "\(node.number) is to do nothing more.")
        }
        let next = timeline.marks[node.nextMark]
        try Depot.require(
            next.mark == mark && opening + next.time == model.now,
            "\(node.number) is to do this: \(next.mark) at \(opening + next.time)."
        )
        node.nextMark += 1
    }

    private mutating func send(_ note: WorkNote, _ next: WorkRequest?) throws {
        let node = try node(note.sender)
        if note == .caught(note.sender) {
            try Depot.require(node.outcome == .broken || node.outcome == .timedOut, "\(note) without an error.")
        } else {
            let isTick = node.timeline?.isTimer == true && note != .timedOut(note.sender)
            try Depot.require(!isTick || !node.isCancelled, "\(note) ticks although it was cancelled.")
            try mark(node, .sends(note))
        }
        if node.isCancelled {
            model.lateActions += 1
        } else {
            model.mailbox.append(PolicyModel.Sent(note: note, next: next, node: node))
            accepted.insert(note)
        }
    }

    private func leave(_ node: WorkNode, _ outcome: BureauLog.Outcome) throws {
        node.outcome = outcome
        if node.isCancelled { return }
        guard let opening = node.opening, let timeline = node.timeline else {
            throw Depot.Complaint(description: "\(node.number) ends without having begun.")
        }
        try Depot.require(node.nextMark == timeline.marks.count, "\(node.number) ends before it has done its work.")
        try Depot.require(opening + timeline.end == model.now, "\(node.number) is to end at \(opening + timeline.end).")
        let expected: BureauLog.Outcome =
            switch timeline.result {
            case .success, .cut: .success
            case .broken: .broken
            case .timedOut: .timedOut
            }
        try Depot.require(outcome == expected, "\(node.number) is to end like this: \(expected).")
        node.hasFailed = timeline.result.isFailure && !timeline.isCaught
    }

    // MARK: Looking up

    private func node(_ number: Int) throws -> WorkNode {
        let base = number / 1_000 * 1_000
        let nodes = model.wholes.lazy.filter { $0.base == base }.flatMap(\.nodes)
        let node = nodes.last { $0.number == number && $0.isPiece }
        guard let node else { throw Depot.Complaint(description: "\(number) was not requested.") }
        return node
    }

    private func numbers(_ nodes: [WorkNode]) -> [Int] { nodes.map(\.number) }
}

extension WorkNode {
    /// Whether it, or a group around it, can delay operations in the queue of one of these identities.
    fileprivate func isInQueue(ofAnyOf identities: [PolicyModel.Identity]) -> Bool {
        ([self] + groups).contains { $0.identity.map(identities.contains) == true }
    }
}
