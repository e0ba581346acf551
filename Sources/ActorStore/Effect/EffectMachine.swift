/// Decides which effects begin when: a plain value that only the owner of a store's turn touches.
///
/// It starts no tasks itself. What it wants done stands in ``pendingStarts``, ``pendingReplies`` and
/// ``pendingFailures``, for the store to collect.
struct EffectMachine<Action: Sendable> {
    private(set) var registry = EffectRegistry()
    /// Tasks to start.
    private(set) var pendingStarts: [EffectStart<Action>] = []
    /// Actions to put into the mailbox.
    private(set) var pendingReplies: [EffectReply<Action>] = []
    /// What reducers report.
    private(set) var pendingFailures: [StoreFailure] = []
    /// Actions of children, from when they are pending until their turn comes.
    private var replies = EffectReplies()
    private var isClosed = false

    /// Takes an effect on.
    ///
    /// - Parameter other: the tracker of other effects, to be awaited together with it.
    /// - Returns: its tracker, or nil if it is done already.
    mutating func begin(_ operation: Effect<Action>.Operation, joining other: EffectTracker? = nil) -> EffectTracker? {
        var operation = operation
        var scope = EffectScope()
        while true {
            switch operation {
            case .send(let action):
                // The commonest effect by far, and there is nothing to track.
                reply(action, scope, number: registry.nextNumber())
                return other
            case .report(let failure):
                pendingFailures.append(failure)
                return other
            case .cancelAll(let cancellation):
                cancel(cancellation.prefixed(with: scope.path), before: registry.nextNumber())
                return other
            case .scoped(let path, let inner):
                scope.path = scope.path + path
                operation = inner
            default:
                other?.begin()
                let tracker = other ?? EffectTracker()
                let plan = registry.makePlan(operation, scope, tracker)
                advance(EffectNode(parent: nil, tracker: tracker, plans: [plan]))
                return tracker.isFinished ? nil : tracker
            }
        }
    }

    /// Takes note that the turn of a child's action has come.
    ///
    /// - Returns: whether it still counts; it does not if the child has gone since.
    mutating func take(_ origin: ReplyOrigin) -> Bool { replies.take(origin) }

    /// Takes note that a task has ended, and begins what waited for it.
    mutating func end(_ start: EffectStart<Action>) {
        forget(start.handle)
        guard !isClosed else { return }
        start.node.running -= 1
        if start.node.running == 0 { advance(start.node) }
    }

    /// Cancels everything. Work that has begun stays registered until its task has ended.
    mutating func cancelAll() {
        for handle in registry.active.values { handle.tracker.cancel() }
    }

    /// Cancels everything, and begins nothing more.
    mutating func close() {
        guard !isClosed else { return }
        isClosed = true
        var closed: Set<ObjectIdentifier> = []
        for handle in registry.active.values where closed.insert(ObjectIdentifier(handle.tracker)).inserted {
            handle.tracker.cancel()
            handle.tracker.end()
        }
    }

    mutating func takeStarts() -> [EffectStart<Action>] {
        defer { pendingStarts = [] }
        return pendingStarts
    }

    mutating func takeReplies() -> [EffectReply<Action>] {
        defer { pendingReplies = [] }
        return pendingReplies
    }

    mutating func takeFailures() -> [StoreFailure] {
        defer { pendingFailures = [] }
        return pendingFailures
    }

    /// Begins what is next in a node of which nothing runs, and goes on upwards when it has come to its end. A loop and
    /// not a recursion, so that a long concatenation does not grow the stack.
    private mutating func advance(_ start: EffectNode<Action>) {
        var node = start
        while true {
            while let plan = node.rest.popFirst() {
                // Counted while it is being begun, so that a part which ends at once does not end the whole.
                node.running += 1
                begin(plan, in: node)
                node.running -= 1
                if node.running > 0 { return }
            }
            guard let parent = node.parent else {
                node.tracker.end()
                return
            }
            parent.running -= 1
            if parent.running > 0 { return }
            node = parent
        }
    }

    private mutating func begin(_ plan: EffectPlan<Action>, in node: EffectNode<Action>) {
        switch plan {
        case .send(let action, let scope, let handle, let number):
            if let handle { forget(handle) }
            if node.tracker.isCancelled { return }
            reply(action, scope, number: number, isCancelled: handle?.isCancelled ?? false)
        case .cancel(let id, let path, let number):
            registry.cancel(id, at: path, by: node.tracker, number: number)
        case .cancelAll(let cancellation, let number):
            cancel(cancellation, before: number)
        case .report(let failure):
            pendingFailures.append(failure)
        case .run(let work, let handle):
            begin(work, handle, in: node)
        case .merge(let plans):
            for plan in plans { begin(plan, in: node) }
        case .concatenate(let plans):
            node.running += 1
            advance(EffectNode(parent: node, tracker: node.tracker, plans: plans))
        }
    }

    /// Has an action put into the mailbox; with what makes it not count if its child goes before its turn has come.
    private mutating func reply(
        _ action: Action,
        _ scope: EffectScope,
        number: UInt64,
        isCancelled: Bool = false
    ) {
        guard scope.endsWithChild else { return pendingReplies.append(EffectReply(action: action, origin: nil)) }
        let origin = ReplyOrigin(path: scope.path, number: number, isCancelled: isCancelled)
        replies.append(origin)
        pendingReplies.append(EffectReply(action: action, origin: origin))
    }

    private func cancel(_ cancellation: EffectCancellation, before number: UInt64) {
        registry.cancel(cancellation, before: number)
        replies.cancel(cancellation, before: number)
    }

    private mutating func forget(_ handle: EffectHandle) {
        registry.remove(handle)
        handle.tracker.remove(handle)
    }

    private mutating func begin(_ work: EffectWork<Action>, _ handle: EffectHandle, in node: EffectNode<Action>) {
        guard !handle.isCancelled, !isRefused(work, handle) else { return forget(handle) }
        handle.begin()
        node.running += 1
        handle.tracker.begin()
        pendingStarts.append(EffectStart(work: work, handle: handle, node: node))
    }

    /// Applies the policy of work that is about to begin.
    private func isRefused(_ work: EffectWork<Action>, _ handle: EffectHandle) -> Bool {
        guard let id = work.id else { return false }
        switch work.policy.kind {
        case .concurrent:
            return false
        case .cancelInFlight:
            registry.cancel(id, at: handle.path, by: handle.tracker, number: handle.number)
            return false
        case .ignoreIfRunning:
            return registry.isRunning(id, at: handle.path)
        }
    }
}
