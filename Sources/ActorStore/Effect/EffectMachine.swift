/// Decides which effects begin when: a plain value that only the owner of a store's turn touches.
///
/// It starts no tasks itself. What it wants done stands in ``pendingStarts`` and ``pendingActions``, for the store to
/// collect.
struct EffectMachine<Action: Sendable> {
    private(set) var registry = EffectRegistry()
    /// Tasks to start.
    private(set) var pendingStarts: [EffectStart<Action>] = []
    /// Actions to put into the mailbox.
    private(set) var pendingActions: [Action] = []
    private var isClosed = false

    /// Takes an effect on.
    ///
    /// - Parameter other: the tracker of other effects, to be awaited together with it.
    /// - Returns: its tracker, or nil if it is done already.
    mutating func begin(_ operation: Effect<Action>.Operation, joining other: EffectTracker? = nil) -> EffectTracker? {
        switch operation {
        case .send(let action):
            // The commonest effect by far, and there is nothing to track.
            pendingActions.append(action)
            return other
        default:
            other?.begin()
            let tracker = other ?? EffectTracker()
            let plan = makePlan(operation, tracker: tracker)
            advance(EffectNode(parent: nil, tracker: tracker, plans: [plan]))
            return tracker.isFinished ? nil : tracker
        }
    }

    /// Takes note that a task has ended, and begins what waited for it.
    mutating func end(_ start: EffectStart<Action>) {
        registry.remove(start.handle)
        start.handle.tracker.remove(start.handle)
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

    mutating func takeActions() -> [Action] {
        defer { pendingActions = [] }
        return pendingActions
    }

    private mutating func makePlan(
        _ operation: Effect<Action>.Operation,
        tracker: EffectTracker
    ) -> EffectPlan<Action> {
        switch operation {
        case .send(let action):
            return .send(action)
        case .cancel(let id):
            return .cancel(id, number: registry.nextNumber())
        case .run(let work):
            let handle = EffectHandle(
                number: registry.nextNumber(),
                id: work.id,
                source: work.source,
                tracker: tracker
            )
            registry.insert(handle)
            tracker.add(handle)
            return .run(work, handle)
        case .merge(let operations):
            return .merge(operations.map { makePlan($0, tracker: tracker) })
        case .concatenate(let operations):
            return .concatenate(operations.map { makePlan($0, tracker: tracker) })
        }
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
        case .send(let action):
            if !node.tracker.isCancelled { pendingActions.append(action) }
        case .cancel(let id, let number):
            registry.cancel(id, by: node.tracker, number: number)
        case .run(let work, let handle):
            begin(work, handle, in: node)
        case .merge(let plans):
            for plan in plans { begin(plan, in: node) }
        case .concatenate(let plans):
            node.running += 1
            advance(EffectNode(parent: node, tracker: node.tracker, plans: plans))
        }
    }

    private mutating func begin(_ work: EffectWork<Action>, _ handle: EffectHandle, in node: EffectNode<Action>) {
        guard !handle.isCancelled, !isRefused(work, handle) else {
            registry.remove(handle)
            handle.tracker.remove(handle)
            return
        }
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
            registry.cancel(id, by: handle.tracker, number: handle.number)
            return false
        case .ignoreIfRunning:
            return registry.isRunning(id)
        }
    }
}
