/// Decides which effects begin when: a plain value that only the owner of a store's turn touches.
///
/// It starts, cancels and resumes nothing itself. What it wants done is its ``EffectOutput``, which the store takes
/// after each transition.
struct EffectMachine {
    private(set) var registry = EffectRegistry()
    /// What is to be done, since the last time that it was taken.
    var output = EffectOutput()
    /// Actions that effects send, from when they are pending until their turn comes.
    private var replies = EffectReplies()
    /// Whether effects begin in the turn of the action that has asked for them: what they send then is sent by the
    /// reducer.
    private var isTakingOn = false
    /// What decides about effects with identities that begin.
    var rules = EffectRules()
    private var isClosed = false
    /// Whether effects finish, and those do not begin that a shutdown cancels.
    var isEnding = false

    /// Takes an effect on.
    ///
    /// - Parameters:
    ///   - other: the tracker of other effects, to be awaited together with it.
    ///   - action: makes the action that asked for it, for a tracker of its own.
    ///   - body: says how a piece of work is done.
    /// - Returns: its tracker, or nil if it is done already.
    mutating func begin<Action>(
        _ operation: Effect<Action>.Operation,
        joining other: EffectTracker? = nil,
        of action: () -> (any Sendable)? = { nil },
        body: (EffectWork<Action>) -> EffectJob.Body
    ) -> EffectTracker? {
        var operation = operation
        var scope = EffectScope()
        while true {
            switch operation {
            case .dismissal(let action):
                scope.isDismissal = true
                operation = .send(action)
            case .send(let action):
                // The commonest effect by far, and there is nothing to track.
                reply(action, scope, of: other, number: registry.nextNumber())
                return other
            case .report(let failure):
                output.failures.append(failure)
                return other
            case .answer(let answer):
                other?.give(answer)
                return other
            case .cancelAll(let cancellation):
                registry.leave(cancellation.prefixed(with: scope.path))
                endDepartures()
                return other
            case .scoped(let path, let inner, let isPresentation):
                scope.enter(path, isPresentation: isPresentation)
                operation = inner
            case .run(let work):
                return begin(work.options, body(work), scope, joining: other, of: action)
            default:
                other?.begin()
                let tracker = other ?? EffectTracker(of: action())
                let plan = registry.makePlan(operation, scope, tracker, body)
                isTakingOn = true
                defer { isTakingOn = false }
                advance(EffectNode(parent: nil, tracker: tracker, plans: [plan], lastNumber: registry.lastNumber))
                endDepartures()
                return tracker.isFinished ? nil : tracker
            }
        }
    }

    /// Takes a piece of work on that is the whole effect of an action.
    mutating func begin(
        _ options: EffectOptions,
        _ body: @escaping EffectJob.Body,
        _ scope: EffectScope = EffectScope(),
        joining other: EffectTracker?,
        of action: () -> (any Sendable)?
    ) -> EffectTracker? {
        let tracker = other ?? EffectTracker(of: action())
        // Nothing comes after it, so its end is the end of the whole.
        if begin(registry.makeJob(options, body, scope, tracker, isPlanned: false), in: nil) {
            if other != nil { tracker.begin() }
            return tracker
        }
        if other == nil { end(tracker) }
        return other
    }

    /// Takes note that the turn of an action has come that an effect was asked to send.
    ///
    /// - Returns: whether it still counts; it does not if it was cancelled since, or its child has gone.
    mutating func take(_ origin: ReplyOrigin) -> Bool {
        var counts = replies.take(origin) && origin.tracker?.isCancelled != true
        if case .step(let job, let isDismissal) = origin.fate {
            if job.hasLostActions || isDismissal && job.isPresentationOver { counts = false }
            if job.endFeedback() { forget(job) }
        }
        return counts
    }

    /// Whether ``take(_:)`` compares keys and identities of users.
    func takingComparesKeys(of origin: ReplyOrigin) -> Bool {
        if case .step = origin.fate { true } else { replies.looksAtPaths }
    }

    /// Takes note that the last action of work that has ended was reduced. Then the groups that it was a part of have
    /// none, unless other parts have.
    mutating func forget(_ job: EffectJob) {
        var next: EffectJob? = job
        while let job = next {
            registry.remove(job)
            next = job.letGoOfGroup()
        }
    }

    /// Takes note that a task has ended, and begins what waited for it. This is the end of the work for all that wait
    /// for it: shutdowns, tasks of stores, groups and queues.
    ///
    /// - Parameter failure: With which error it has ended, if it has.
    mutating func end(_ job: EffectJob, failure: (any Error)? = nil) {
        let node = job.node
        let tracker = job.tracker
        // After what it has begun was counted, so that nothing in between ends the whole.
        defer { end(tracker, failure) }
        if job.isGroup, !isClosed, job.endWaiting(), let plan = job.takePlan() {
            // It was the task of a group that had to wait, and is now one without a task.
            job.wait = nil
            registry.uncount(job)
            return advance(EffectNode(parent: node, group: job, tracker: job.tracker, plans: [plan]))
        }
        job.end()
        skip(job)
        guard !isClosed, let node else { return }
        if let plan = node.takeVain(after: job) { discard(plan) }
        node.running -= 1
        if node.running == 0 { advance(node) }
    }

    private mutating func end(_ tracker: EffectTracker, _ failure: (any Error)? = nil) {
        if tracker.end(failure: failure) { output.ends.append(tracker) }
    }

    /// Cancels everything that was asked for after a number, or everything. Work that has begun stays registered until
    /// its task has ended, and its last action has been reduced. Not by way of trackers: these count the effects of
    /// other stores as well.
    ///
    /// - Parameter spared: Work whose tasks go on.
    /// - Complexity: O(*n* log *n*) with *n* pieces of work.
    mutating func cancelAll(after number: UInt64 = 0, sparing spared: [EffectJob] = []) {
        output.cancellations += registry.cancelAll(after: number, sparing: spared)
        if number == 0 { replies.cancelAll(upTo: registry.lastNumber) }
    }

    /// Cancels what a shutdown cancels although it lets effects finish, if it was asked for after a number.
    ///
    /// - Parameter spared: Work that goes on, with the groups that it is a part of.
    /// - Complexity: O(*n* log *n*) with *n* pieces of work.
    mutating func cancelOnShutdown(after number: UInt64 = 0, sparing spared: [EffectJob] = []) {
        output.cancellations += registry.cancelOnShutdown(after: number, sparing: spared)
    }

    /// Cancels the work of children that are no longer in a state, and drops their actions that wait in the mailbox;
    /// see ``EffectRegistry/cancelWork(ofChildrenMissingBy:)``.
    mutating func cancelWork(ofChildrenMissingBy search: inout ChildSearch) {
        output.cancellations += registry.cancelWork(ofChildrenMissingBy: &search)
        replies.cancel(ofChildrenMissingBy: &search)
    }

    /// Cancels everything, and begins nothing more.
    ///
    /// - Parameter spared: Work whose tasks go on.
    mutating func close(sparing spared: [EffectJob] = []) {
        guard !isClosed else { return }
        isClosed = true
        cancelAll(sparing: spared)
        var ended: Set<ObjectIdentifier> = []
        for job in registry.active.inOrder {
            guard job.hasBegun else {
                discard(job)
                continue
            }
            // What is under way as a whole goes on no further, so that nobody else will tell that it has ended.
            guard let whole = job.node?.root else { continue }
            if ended.insert(ObjectIdentifier(whole)).inserted { end(whole.tracker) }
        }
        // A group without a task of its own ends with its last member, of which nobody will tell it any more.
        for job in registry.active.inOrder where job.isGroup && job.wait == nil {
            discard(job)
        }
    }

    /// Takes out what is to be done.
    mutating func takeOutput() -> EffectOutput {
        var taken = EffectOutput()
        swap(&taken, &output)
        return taken
    }

    /// Begins what is next in a node of which nothing runs, and goes on upwards when it has come to its end. A loop and
    /// not a recursion, so that a long concatenation does not grow the stack.
    private mutating func advance(_ start: EffectNode) {
        var node = start
        while true {
            while let plan = node.takeNext() {
                // Counted while it is being begun, so that a part which ends at once does not end the whole.
                node.running += 1
                begin(plan, in: node)
                node.running -= 1
                if node.running > 0 { return }
            }
            if let group = node.group {
                group.end()
                discard(group)
            }
            guard let parent = node.parent else {
                end(node.tracker)
                return
            }
            parent.running -= 1
            if parent.running > 0 { return }
            node = parent
        }
    }

    private mutating func begin(_ plan: EffectPlan, in node: EffectNode) {
        switch plan {
        case .send(let action, let scope, let job, let number):
            if node.isCancelledAsWhole || scope.isInGroup && job?.isCancelled == true {
                if let job { discard(job) }
                return output.releases.append(Retired(action))
            }
            // Outside of groups, what is sent in the turn of the action was sent by the reducer, and ends with its
            // child only.
            let isCancellable = scope.isInGroup || !isTakingOn
            if let job {
                if isCancellable { job.endWithFeedback() }
                discard(job, in: node)
            }
            reply(action, scope, of: node.tracker, number: number, isCancellable ? job : nil)
        case .cancel(let id, let place, let job, let number):
            if let job { discard(job) }
            guard let place, !node.isCancelledAsWhole, job?.isCancelled != true else { return }
            output.cancellations += registry.cancel(
                id,
                at: place,
                except: number...node.lastNumber,
                besides: node.groups(of: id, at: place)
            )
        case .report(let failure, let job):
            if let job { discard(job) }
            if !node.isCancelledAsWhole, job?.isCancelled != true { output.failures.append(failure) }
        case .job(let job):
            if !begin(job, in: node), let plan = node.takeVain(after: job) { discard(plan) }
        case .merge(let plans):
            for plan in plans { begin(plan, in: node) }
        case .concatenate(let plans):
            node.running += 1
            advance(EffectNode(parent: node, tracker: node.tracker, plans: plans))
        case .delayed(let wait, let plan):
            node.running += 1
            advance(EffectNode(parent: node, tracker: node.tracker, plans: [.job(wait), plan], isDelay: true))
        }
    }

    /// - Parameter node: what it is a part of; nil if it is all.
    /// - Returns: whether it has begun.
    private mutating func begin(_ job: EffectJob, in node: EffectNode?) -> Bool {
        // Before the rules, by which it would take the place of others.
        guard !isClosed, !job.isCancelled, !(isEnding && job.options.isCancelledOnShutdown),
            rules.admit(job, in: node, &registry, cancelling: &output.cancellations)
        else {
            skip(job)
            return false
        }
        if let node {
            job.node = node
            node.running += 1
        }
        registry.begin(job)
        job.begin(withWait: job.wait != nil)
        if job.wait == nil, let plan = job.takePlan() {
            advance(EffectNode(parent: node, group: job, tracker: job.tracker, plans: [plan]))
            return true
        }
        registry.count(job)
        if node != nil { job.tracker.begin() }
        output.starts.append(job)
        return true
    }

    /// Has an action put into the mailbox; with what makes it not count if it is cancelled, or its child goes, before
    /// its turn has come.
    ///
    /// - Parameter job: That of the step, if it has one.
    private mutating func reply(
        _ action: any Sendable,
        _ scope: EffectScope,
        of tracker: EffectTracker?,
        number: UInt64,
        _ job: EffectJob? = nil
    ) {
        let tracker = tracker.flatMap { $0.tracksFeedback ? $0 : nil }
        let fate: ReplyOrigin.Fate
        if let job {
            fate = .step(job, isDismissal: scope.isDismissal)
        } else if scope.endsWithChild || scope.isDismissal {
            fate = .child
        } else if scope.waits && !isTakingOn {
            fate = .effects
        } else if tracker != nil {
            fate = .none
        } else {
            // The commonest one costs no origin.
            return output.replies.append(EffectReply(action: action, origin: nil))
        }
        tracker?.begin()
        let origin = ReplyOrigin(scope, fate, number: number, tracker: tracker)
        replies.append(origin)
        output.replies.append(EffectReply(action: action, origin: origin))
    }

    /// Ends what children can do that have gone: what was begun and what was not, and what waits in the mailbox.
    private mutating func endDepartures() {
        for departure in registry.takeDepartures() {
            output.cancellations += registry.cancel(departure)
            replies.cancel(departure.gone, before: departure.number)
        }
    }

    /// Takes a piece of work, and what it consists of, off the registry.
    private mutating func skip(_ job: EffectJob) {
        // Also if it is off the registry already, because it has ended and its actions have been reduced: others may
        // have to wait for its end.
        discard(job)
        guard job.lastMember > job.number else { return }
        for number in (job.number + 1)...job.lastMember {
            if let job = registry.active[number] { discard(job) }
        }
    }

    /// Takes off the registry what will not be begun, because the wait before it has not come to its end.
    private mutating func discard(_ plan: EffectPlan) {
        switch plan {
        case .send(let action, _, let job, _):
            output.releases.append(Retired(action))
            if let job { discard(job) }
        case .cancel(_, _, let job, _), .report(_, let job):
            if let job { discard(job) }
        case .job(let job):
            skip(job)
        case .merge(let plans), .concatenate(let plans):
            for plan in plans { discard(plan) }
        case .delayed(let wait, let plan):
            skip(wait)
            discard(plan)
        }
    }

    /// Takes work off the registry that has ended, or will not be done.
    ///
    /// - Parameter node: What it is a part of, if it is a step.
    private mutating func discard(_ job: EffectJob, in node: EffectNode? = nil) {
        // What has ended can be cancelled still as long as actions wait that it has sent, and so can the groups around
        // it.
        if job.isUnreduced {
            registry.end(job)
            if let group = (job.node ?? node)?.nearestGroup { job.keepOnHand(group) }
        } else {
            registry.remove(job)
        }
        job.tracker.remove(job)
        if job.isKnownToRules {
            for next in rules.leave(job) {
                if case .gate(let gate) = next.wait { output.gates.append(gate) }
            }
        }
        // What its task has not done holds on to values of users.
        if job.isGroup || !job.hasBegun { output.releases.append(Retired(job.takeContent())) }
        if let node = job.leaveNode(), !node.rest.isEmpty { output.releases.append(node) }
    }
}

/// What an ``EffectMachine`` has decided: a plain value, for the store to do.
struct EffectOutput {
    /// Tasks to start.
    var starts = PendingJobs()
    /// Actions to put into the mailbox.
    var replies: [EffectReply] = []
    /// What reducers report.
    var failures: [StoreFailure] = []
    /// What has ended, and whose end is to be told.
    var ends = ShortList<EffectTracker>()
    /// What work waits for that may begin now.
    var gates: [AsyncGate] = []
    /// Work whose tasks are to be cancelled; it is marked as cancelled already.
    var cancellations: [EffectJob] = []
    /// What is to be released when the turn is over, because it can hold values of users.
    var releases = ShortList<AnyObject>()
}
