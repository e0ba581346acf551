/// Decides which effects begin when: a plain value that only the owner of a store's turn touches.
///
/// It starts, cancels and resumes nothing itself. It collects what is to be done in its ``EffectOutput``, which the
/// store takes after each transition.
struct EffectMachine {
    private(set) var registry = EffectRegistry()
    /// What is to be done since the output was last taken.
    var output = EffectOutput()
    /// Actions that effects send, from when they are pending until they are reduced.
    private var replies = EffectReplies()
    /// Whether effects begin within the turn of the action that returned them: what they send then counts as sent by
    /// the reducer.
    private var isTakingOn = false
    /// Decides when effects with identities begin.
    var rules = EffectRules()
    private var isClosed = false
    /// Whether effects are finishing, so that effects that a shutdown cancels do not begin.
    var isEnding = false

    /// Begins an effect.
    ///
    /// - Parameters:
    ///   - other: The tracker of other effects that are awaited together with it.
    ///   - action: Returns the action that returned the effect, for a new tracker.
    ///   - body: Returns the body of an operation.
    /// - Returns: The tracker of the effect; nil if it has ended.
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
                // By far the most frequent effect, and there is nothing to track.
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

    /// Begins an operation that is the whole effect of an action.
    mutating func begin(
        _ options: EffectOptions,
        _ body: @escaping EffectJob.Body,
        _ scope: EffectScope = EffectScope(),
        joining other: EffectTracker?,
        of action: () -> (any Sendable)?
    ) -> EffectTracker? {
        let tracker = other ?? EffectTracker(of: action())
        // Nothing follows it, so its end is the end of the whole.
        if begin(registry.makeJob(options, body, scope, tracker, isPlanned: false), in: nil) {
            if other != nil { tracker.begin() }
            return tracker
        }
        if other == nil { end(tracker) }
        return other
    }

    /// Records that the action of an origin is about to be reduced.
    ///
    /// - Returns: `true` if the action is reduced; `false` if it has been cancelled, or its child has been removed.
    mutating func take(_ origin: ReplyOrigin) -> Bool {
        var counts = replies.take(origin) && origin.tracker?.isCancelled != true
        if case .step(let job, let isDismissal) = origin.fate {
            if job.hasLostActions || isDismissal && job.isPresentationOver { counts = false }
            if job.endFeedback() { forget(job) }
        }
        return counts
    }

    /// Returns whether ``take(_:)`` compares user keys and identities.
    func takingComparesKeys(of origin: ReplyOrigin) -> Bool {
        if case .step = origin.fate { true } else { replies.looksAtPaths }
    }

    /// Removes an ended job whose last action was reduced, and the groups that it was a part of, unless other parts of
    /// them have pending actions.
    mutating func forget(_ job: EffectJob) {
        var next: EffectJob? = job
        while let job = next {
            registry.remove(job)
            next = job.letGoOfGroup()
        }
    }

    /// Records that a task has ended, and begins what waited for it. This is the end of the job for everything that
    /// waits for it: shutdowns, store tasks, groups and queues.
    ///
    /// - Parameter failure: The error that the job has ended with; nil if it ended without an error.
    mutating func end(_ job: EffectJob, failure: (any Error)? = nil) {
        let node = job.node
        let tracker = job.tracker
        // After what it begins has been counted, so that the whole does not end in between.
        defer { end(tracker, failure) }
        if job.isGroup, !isClosed, job.endWaiting(), let plan = job.takePlan() {
            // This was the task of a group that had to wait; from now on the group has no task.
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

    /// Cancels all jobs after a number, or all jobs. Jobs that have begun stay registered until their tasks have ended
    /// and their last actions have been reduced. Trackers are not used, because they also count effects of other
    /// stores.
    ///
    /// - Parameter spared: Jobs whose tasks continue.
    /// - Complexity: O(*n* log *n*), where *n* is the number of jobs.
    mutating func cancelAll(after number: UInt64 = 0, sparing spared: [EffectJob] = []) {
        output.cancellations += registry.cancelAll(after: number, sparing: spared)
        if number == 0 { replies.cancelAll(upTo: registry.lastNumber) }
    }

    /// Cancels the jobs after a number that a shutdown cancels although it lets effects finish.
    ///
    /// - Parameter spared: Jobs that continue, with the groups that they are a part of.
    /// - Complexity: O(*n* log *n*), where *n* is the number of jobs.
    mutating func cancelOnShutdown(after number: UInt64 = 0, sparing spared: [EffectJob] = []) {
        output.cancellations += registry.cancelOnShutdown(after: number, sparing: spared)
    }

    /// Cancels the jobs of children that are no longer in the state, and drops their actions in the mailbox; see
    /// ``EffectRegistry/cancelWork(ofChildrenMissingBy:)``.
    mutating func cancelWork(ofChildrenMissingBy search: inout ChildSearch) {
        output.cancellations += registry.cancelWork(ofChildrenMissingBy: &search)
        replies.cancel(ofChildrenMissingBy: &search)
    }

    /// Cancels all jobs, and begins no more effects.
    ///
    /// - Parameter spared: Jobs whose tasks continue.
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
            // An effect in progress is not continued, so its end must be recorded here.
            guard let whole = job.node?.root else { continue }
            if ended.insert(ObjectIdentifier(whole)).inserted { end(whole.tracker) }
        }
        // A group without a task ends with its last member, whose end will not be reported to it any more.
        for job in registry.active.inOrder where job.isGroup && job.wait == nil {
            discard(job)
        }
    }

    /// Removes and returns what is to be done.
    mutating func takeOutput() -> EffectOutput {
        var taken = EffectOutput()
        swap(&taken, &output)
        return taken
    }

    /// Begins what is next in a node of which nothing runs, and continues with its parent when it has ended. This is a
    /// loop, because a recursion would grow the stack with long concatenations.
    private mutating func advance(_ start: EffectNode) {
        var node = start
        while true {
            while let plan = node.takeNext() {
                // Counted while it begins, so that a part that ends at once does not end the whole.
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
            // Outside groups, what is sent within the turn of the action counts as sent by the reducer, and only the
            // removal of its child cancels it.
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

    /// - Parameter node: The node that it is a part of; nil if it is the whole effect.
    /// - Returns: `true` if it has begun.
    private mutating func begin(_ job: EffectJob, in node: EffectNode?) -> Bool {
        // Checked before the rules, which could let it replace others.
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

    /// Adds an action to the mailbox, with its origin if it can be cancelled, or dropped with its child, before it is
    /// reduced.
    ///
    /// - Parameter job: The job of the step, if it has one.
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
            // The most frequent case needs no origin.
            return output.replies.append(EffectReply(action: action, origin: nil))
        }
        tracker?.begin()
        let origin = ReplyOrigin(scope, fate, number: number, tracker: tracker)
        replies.append(origin)
        output.replies.append(EffectReply(action: action, origin: origin))
    }

    /// Cancels the effects of removed children, whether they have begun or not, and their actions in the mailbox.
    private mutating func endDepartures() {
        for departure in registry.takeDepartures() {
            output.cancellations += registry.cancel(departure)
            replies.cancel(departure.gone, before: departure.number)
        }
    }

    /// Removes a job and its parts from the registry.
    private mutating func skip(_ job: EffectJob) {
        // Even if it has been removed already, because it has ended and its actions have been reduced: others may wait
        // for its end.
        discard(job)
        guard job.lastMember > job.number else { return }
        for number in (job.number + 1)...job.lastMember {
            if let job = registry.active[number] { discard(job) }
        }
    }

    /// Removes a plan that will not begin, because the delay before it has not elapsed.
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

    /// Removes a job that has ended, or will not run.
    ///
    /// - Parameter node: The node that it is a part of, if it is a step.
    private mutating func discard(_ job: EffectJob, in node: EffectNode? = nil) {
        // An ended job can still be cancelled while its actions are pending, and so can the groups around it.
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
        // Work that was not done retains user values.
        if job.isGroup || !job.hasBegun { output.releases.append(Retired(job.takeContent())) }
        if let node = job.leaveNode(), !node.rest.isEmpty { output.releases.append(node) }
    }
}

/// The decisions of an ``EffectMachine``, for the store to perform: a plain value.
struct EffectOutput {
    /// Tasks to start.
    var starts = PendingJobs()
    /// Actions to put into the mailbox.
    var replies: [EffectReply] = []
    /// Errors that reducers report.
    var failures: [StoreFailure] = []
    /// Trackers whose end must be reported.
    var ends = ShortList<EffectTracker>()
    /// Gates of jobs that may begin now.
    var gates: [AsyncGate] = []
    /// Jobs whose tasks must be cancelled; they are already marked as cancelled.
    var cancellations: [EffectJob] = []
    /// Objects to release after the turn, because they may contain user values.
    var releases = ShortList<AnyObject>()
}
