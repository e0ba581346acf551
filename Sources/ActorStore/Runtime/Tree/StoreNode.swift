/// What is behind a store, root or child, for code that knows its actions: it reduces them, and runs effects. The
/// machine of these decides what becomes of them; the node does it.
@usableFromInline
protocol StoreNode<Action>: TreeNode, DependentObserverHost, Sendable {
    associatedtype Action: Sendable

    /// For diagnostics.
    var name: String { get }

    /// The effects of the turn's actions, with the places of these in their batch, until they are taken on. In the
    /// turn.
    var newEffects: [(effect: Effect<Action>, placeInBatch: UInt32)] { get set }

    /// A copy of its own state, in which children are looked for. In the turn, while nothing is written.
    var lookedAtState: Any { get }

    /// Puts an action into the mailbox that an effect has been asked to send. In the turn.
    func postReply(_ action: Action, _ origin: ReplyOrigin?)

    /// Puts an action into the mailbox that a running effect sends.
    ///
    /// - Parameter isDismissal: Whether it takes the child away whose effect that is.
    func postFeedback(_ action: Action, from job: EffectJob, isDismissal: Bool) -> SendOutcome

    /// Reduces an action, here and then further up, after what is `below`. In the turn.
    func propagate(_ action: Action, _ below: () -> Void) -> Result<Void, StoreError>

    /// Reduces an action with all that belongs to a turn, unless the store has ended. In the turn.
    func reduceUnlessEnded(_ action: Action) -> DispatchResult

    /// Reconsiders whether reducers are attached. In the turn.
    func attachedReducersChanged()
}

// Actions for an element of the state of a store, or of what an optional in it holds: they are reduced as long as that
// is there, and never by way of what has taken its place.

extension StoreNode {
    /// Accepts an action without waiting.
    @usableFromInline
    func send(_ action: Action, for element: any AnyElementStorage) -> SendOutcome {
        accept(1, for: element) { [self] in
            if case .success(let pending) = reduceUnlessEnded(action) { root.deferStart(pending) }
        }
    }

    /// Accepts actions as one turn. If one of them takes the element away, those after it come too late.
    @usableFromInline
    func send(batch actions: [Action], for element: any AnyElementStorage) -> SendOutcome {
        accept(actions.count, for: element) { [self] in
            root.deferStart(root.reduceInTurn(batch: actions, of: self, for: element) { propagate($0) {} })
        }
    }

    /// Has actions reduced that nobody awaits.
    ///
    /// - Parameters:
    ///   - count: How many.
    ///   - reduce: Reduces them. In the turn, unless the element has gone by then.
    // Inlined, so that nothing is allocated for the closure if the store is idle.
    @inline(__always)
    private func accept(
        _ count: Int,
        for element: any AnyElementStorage,
        _ reduce: @escaping () -> Void
    ) -> SendOutcome {
        guard root.gate.beginIfIdle() else {
            if element.isRefusing { return .refused(.shutDown) }
            let message = ForwardedMessage(weight: count) { [self] in
                if lifecycle.isEnded || element.hasLeft { root.droppedFeedback.add(count) } else { reduce() }
                return nil
            }
            return root.post(message, of: self)
        }
        return root.inTakenTurn {
            guard root.lifecycle.isOpen && lifecycle.isOpen else { return .refused(root.refusal) }
            if element.isRefusing { return .refused(.shutDown) }
            reduce()
            return .accepted
        }
    }

    /// Has an action reduced that the asynchronous interceptors have let through, and returns when that is done.
    @usableFromInline
    func dispatch(
        _ action: Action,
        for element: any AnyElementStorage,
        _ options: DispatchOptions,
        isolation: isolated (any Actor)? = #isolation
    ) async throws(StoreError) -> StoreTask {
        if let result = dispatchWithoutWaiting(action, options) { return try result.get() }
        if element.isRefusing { throw .shutDown }
        let result = await root.dispatchContended(
            to: self,
            joining: options.tracker,
            acceptance: options.acceptance
        ) { [self] in
            // Asked when its turn has come: it may have waited for room in the mailbox meanwhile.
            element.hasLeft ? .failure(.shutDown) : reduceUnlessEnded(action)
        }
        return begin(try result.get(), options.tracker)
    }

    /// Has an action reduced if that need not wait.
    ///
    /// - Returns: nil if the store is busy; then the action has not been reduced.
    @usableFromInline
    func dispatchWithoutWaiting(_ action: Action, _ options: DispatchOptions) -> Result<StoreTask, StoreError>? {
        let (tracker, element) = (options.tracker, options.element)
        tracker?.note(action)
        let result = root.dispatchAtOnce(to: self, joining: tracker) {
            if let element, element.isRefusing { .failure(.shutDown) } else { reduceUnlessEnded(action) }
        }
        return result?.map { begin($0, tracker) }
    }

    private func begin(_ pending: PendingTasks, _ tracker: EffectTracker?) -> StoreTask {
        if pending.isNeeded { pending.start(.inheriting) }
        return StoreTask(tracker: tracker ?? pending.tracker)
    }
}

extension StoreCore {
    /// Has an action for an element pass through the asynchronous interceptors; see
    /// ``askFirst(_:acceptance:isolation:)``.
    @usableFromInline
    func askFirst(
        _ action: Action,
        for element: any AnyElementStorage,
        acceptance: AcceptanceWait?,
        isolation: isolated (any Actor)? = #isolation
    ) async throws(StoreError) -> Action {
        guard hasAsyncInterceptors else { return action }
        if element.isRefusing { throw .shutDown }
        return try await askFirst(action, acceptance: acceptance)
    }
}
