/// Decides which effects begin when: a plain value that only the owner of a store's turn touches.
///
/// It starts, cancels and resumes nothing itself. What it wants done is pending until the store takes it.
struct EffectMachine {
    private(set) var registry = EffectRegistry()
    /// Tasks to start.
    private(set) var pendingStarts = EffectStarts()
    /// Actions to put into the mailbox.
    private(set) var pendingReplies: [EffectReply] = []
    /// What reducers report.
    private(set) var pendingFailures: [StoreFailure] = []
    /// What has ended of that for which somebody may wait.
    private(set) var pendingEnds = ShortList<EffectTracker.End>()
    /// What work waits for that may begin now.
    private(set) var pendingAdmissions: [EffectAdmission] = []
    /// Work whose tasks are to be cancelled; it is marked as cancelled already.
    private(set) var pendingCancellations: [EffectHandle] = []
    /// What is to be released when the turn is over, because it can hold values of users.
    private(set) var pendingReleases = ShortList<AnyObject>()
    /// Actions of children, from when they are pending until their turn comes.
    private var replies = EffectReplies()
    /// What decides about effects with identities that begin.
    var rules = EffectRules()
    private var isClosed = false

    /// Takes an effect on.
    ///
    /// - Parameters:
    ///   - other: the tracker of other effects, to be awaited together with it.
    ///   - body: says how a piece of work is done.
    /// - Returns: its tracker, or nil if it is done already.
    mutating func begin<Action>(
        _ operation: Effect<Action>.Operation,
        joining other: EffectTracker? = nil,
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
                pendingFailures.append(failure)
                return other
            case .cancelAll(let cancellation):
                registry.leave(cancellation.prefixed(with: scope.path))
                endDepartures()
                return other
            case .scoped(let path, let inner, let isPresentation):
                scope.enter(path, isPresentation: isPresentation)
                operation = inner
            case .run(let work):
                return begin(PlannedWork(work, body: body(work)), scope, joining: other)
            default:
                other?.begin()
                let tracker = other ?? EffectTracker()
                let plan = registry.makePlan(operation, scope, tracker, body)
                advance(EffectNode(parent: nil, tracker: tracker, plans: [plan], lastNumber: registry.lastNumber))
                endDepartures()
                return tracker.isFinished ? nil : tracker
            }
        }
    }

    /// Takes a piece of work on that is the whole effect of an action.
    mutating func begin(
        _ work: PlannedWork,
        _ scope: EffectScope = EffectScope(),
        joining other: EffectTracker?
    ) -> EffectTracker? {
        let tracker = other ?? EffectTracker()
        // Nothing comes after it, so its end is the end of the whole.
        if begin(registry.makeJob(work, scope, tracker), in: nil) {
            if other != nil { tracker.begin() }
            return tracker
        }
        if other == nil { end(tracker) }
        return other
    }

    /// Takes note that the turn of a child's action has come.
    ///
    /// - Returns: whether it still counts; it does not if the child has gone since.
    mutating func take(_ origin: ReplyOrigin) -> Bool { replies.take(origin) }

    /// Takes note that the last action of work that has ended was reduced.
    mutating func forget(_ handle: EffectHandle) { registry.remove(handle) }

    /// Takes note that a task has ended, and begins what waited for it. This is the end of the work for all that wait for
    /// it: shutdowns, tasks of stores, groups and queues.
    ///
    /// - Parameter failure: With which error it has ended, if it has.
    mutating func end(_ job: EffectJob, failure: (any Error)? = nil) {
        let node = job.node
        let tracker = job.tracker
        // After what it has begun was counted, so that nothing in between ends the whole.
        defer { end(tracker, failure) }
        if let plan = job.plan, !isClosed, job.endWaiting() {
            // It was the task of a group that had to wait, and is now one without a task.
            job.wait = nil
            registry.uncount(job)
            return advance(EffectNode(parent: node, group: job, tracker: job.tracker, plans: [plan]))
        }
        job.end()
        skip(job)
        guard !isClosed, let node else { return }
        node.running -= 1
        if node.running == 0 { advance(node) }
    }

    private mutating func end(_ tracker: EffectTracker, _ failure: (any Error)? = nil) {
        if let end = tracker.end(failure: failure) { pendingEnds.append(end) }
    }

    /// Cancels everything that was asked for after a number, or everything. Work that has begun stays registered until its
    /// task has ended. Not by way of trackers: these count the effects of other stores as well.
    ///
    /// - Parameter spared: Work whose tasks go on.
    /// - Complexity: O(*n*) with *n* pieces of work.
    mutating func cancelAll(after number: UInt64 = 0, sparing spared: [EffectHandle] = []) {
        pendingCancellations += registry.cancelAll(after: number, sparing: spared)
    }

    /// Cancels everything, and begins nothing more.
    ///
    /// - Parameter spared: Work whose tasks go on.
    mutating func close(sparing spared: [EffectHandle] = []) {
        guard !isClosed else { return }
        isClosed = true
        cancelAll(sparing: spared)
        var ended: Set<ObjectIdentifier> = []
        for handle in registry.active.values {
            guard handle.hasBegun else {
                discard(handle)
                continue
            }
            // What is under way as a whole goes on no further, so that nobody else will tell that it has ended.
            guard let whole = (handle as? EffectJob)?.node?.root else { continue }
            if ended.insert(ObjectIdentifier(whole)).inserted { end(whole.tracker) }
        }
        // A group without a task of its own ends with its last member, of which nobody will tell it any more.
        for case let job as EffectJob in Array(registry.active.values) where job.plan != nil && job.wait == nil {
            discard(job)
        }
    }

    mutating func takeStarts() -> EffectStarts {
        var starts = EffectStarts()
        swap(&starts, &pendingStarts)
        return starts
    }

    mutating func takeReplies() -> [EffectReply] {
        defer { pendingReplies = [] }
        return pendingReplies
    }

    mutating func takeFailures() -> [StoreFailure] {
        defer { pendingFailures = [] }
        return pendingFailures
    }

    mutating func takeEnds() -> ShortList<EffectTracker.End> {
        defer { pendingEnds = ShortList() }
        return pendingEnds
    }

    mutating func takeAdmissions() -> [EffectAdmission] {
        defer { pendingAdmissions = [] }
        return pendingAdmissions
    }

    mutating func takeCancellations() -> [EffectHandle] {
        defer { pendingCancellations = [] }
        return pendingCancellations
    }

    mutating func takeReleases() -> ShortList<AnyObject> {
        defer { pendingReleases = ShortList() }
        return pendingReleases
    }

    /// Begins what is next in a node of which nothing runs, and goes on upwards when it has come to its end. A loop and
    /// not a recursion, so that a long concatenation does not grow the stack.
    private mutating func advance(_ start: EffectNode) {
        var node = start
        while true {
            while let plan = node.rest.popFirst() {
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
        case .send(let action, let scope, let handle, let number):
            if let handle { discard(handle) }
            if node.isCancelledAsWhole || scope.isInGroup && handle?.isCancelled == true {
                return pendingReleases.append(Retired(action))
            }
            let isCancelled = handle.map { $0.isCancelled || scope.isDismissal && $0.isPresentationOver }
            reply(action, scope, of: node.tracker, number: number, isCancelled: isCancelled ?? false)
        case .cancel(let id, let place, let handle, let number):
            if let handle { discard(handle) }
            guard let place, !node.isCancelledAsWhole, handle?.isCancelled != true else { return }
            pendingCancellations += registry.cancel(
                id,
                at: place,
                except: number...node.lastNumber,
                besides: node.groups(of: id, at: place)
            )
        case .report(let failure, let handle):
            if let handle { discard(handle) }
            if !node.isCancelledAsWhole, handle?.isCancelled != true { pendingFailures.append(failure) }
        case .job(let job):
            _ = begin(job, in: node)
        case .merge(let plans):
            for plan in plans { begin(plan, in: node) }
        case .concatenate(let plans):
            node.running += 1
            advance(EffectNode(parent: node, tracker: node.tracker, plans: plans))
        }
    }

    /// - Parameter node: what it is a part of; nil if it is all.
    /// - Returns: whether it has begun.
    private mutating func begin(_ job: EffectJob, in node: EffectNode?) -> Bool {
        guard !isClosed, !job.isCancelled,
            rules.admit(job, in: node, &registry, cancelling: &pendingCancellations)
        else {
            skip(job)
            return false
        }
        if let node {
            job.node = node
            node.running += 1
        }
        if job.wait == nil {
            job.begin()
            if let plan = job.plan {
                advance(EffectNode(parent: node, group: job, tracker: job.tracker, plans: [plan]))
                return true
            }
        } else {
            job.beginWaiting()
        }
        registry.count(job)
        if node != nil { job.tracker.begin() }
        pendingStarts.append(job)
        return true
    }

    /// Has an action put into the mailbox; with what makes it not count if its child goes before its turn has come.
    private mutating func reply(
        _ action: any Sendable,
        _ scope: EffectScope,
        of tracker: EffectTracker?,
        number: UInt64,
        isCancelled: Bool = false
    ) {
        let tracker = tracker.flatMap { $0.tracksFeedback ? $0 : nil }
        guard scope.endsWithChild || scope.isDismissal || tracker != nil else {
            return pendingReplies.append(EffectReply(action: action, origin: nil))
        }
        tracker?.begin()
        let origin = ReplyOrigin(scope, number: number, isCancelled: isCancelled, tracker: tracker)
        replies.append(origin)
        pendingReplies.append(EffectReply(action: action, origin: origin))
    }

    /// Ends what children can do that have gone: what was begun and what was not, and what waits in the mailbox.
    private mutating func endDepartures() {
        for departure in registry.takeDepartures() {
            pendingCancellations += registry.cancel(departure)
            replies.cancel(departure.gone, before: departure.number)
        }
    }

    /// Takes a piece of work, and what it consists of, off the account.
    private mutating func skip(_ job: EffectJob) {
        // Also if it is off the registry already, because it has ended and its actions have been reduced: others may have to
        // wait for its end.
        discard(job)
        guard job.lastMember > job.number else { return }
        for number in (job.number + 1)...job.lastMember {
            if let handle = registry.active[number] { discard(handle) }
        }
    }

    /// Takes work off the account that has ended, or will not be done.
    private mutating func discard(_ handle: EffectHandle) {
        // What has ended can be cancelled still as long as actions that it has sent wait.
        if !(handle.hasEnded && handle.hasFeedback) { registry.remove(handle) }
        handle.tracker.remove(handle)
        guard let job = handle as? EffectJob else { return }
        if job.isQueued {
            for next in rules.leave(job) {
                if case .admission(let admission) = next.wait { pendingAdmissions.append(admission) }
            }
        }
        // What its task has not done holds on to values of users.
        if job.isGroup || !job.hasBegun { pendingReleases.append(Retired(job.takeContent())) }
        if let node = job.leaveNode(), !node.rest.isEmpty { pendingReleases.append(node) }
    }
}
