/// The implementation of a store, root or child, for code that has the type of its actions: it reduces actions and runs
/// effects. The effect machine decides what happens to the effects, and the node does it.
@usableFromInline
protocol StoreNode<Action>: TreeNode, DependentObserverHost, Sendable {
    associatedtype Action: Sendable

    /// The name of the store, for diagnostics.
    var name: String { get }

    /// The effects of the turn's actions, with each action's position in its batch, until they are registered. Used
    /// within the turn.
    var newEffects: [(effect: Effect<Action>, placeInBatch: UInt32)] { get set }

    /// A copy of the store's own state, in which children are looked up. Used within the turn, without writing.
    var lookedAtState: Any { get }

    /// Enqueues an action that a reducer asked to send. Called within the turn.
    func postReply(_ action: Action, _ origin: ReplyOrigin?)

    /// Enqueues an action that a running effect sends.
    ///
    /// - Parameter isDismissal: Whether the action removes the child that the effect belongs to.
    func postFeedback(_ action: Action, from job: EffectJob, isDismissal: Bool) -> SendOutcome

    /// Reduces an action here and in the stores above, after calling `below`. Called within the turn.
    func propagate(_ action: Action, _ below: () -> Void) -> Result<Void, StoreError>

    /// Reduces an action in a complete turn, unless the store has ended. Called within the turn.
    func reduceUnlessEnded(_ action: Action) -> DispatchResult

    /// Updates what depends on whether reducers are attached. Called within the turn.
    func attachedReducersChanged()
}

// Actions for an element of a store's state, or for an optional's value. They are reduced while that element is
// present, and never applied to an element that has replaced it.

extension StoreNode {
    /// Sends an action for an element without waiting.
    @usableFromInline
    func send(_ action: Action, for element: any AnyElementStorage) -> SendOutcome {
        accept(1, for: element) { [self] in
            if case .success(let pending) = reduceUnlessEnded(action) { root.deferStart(pending) }
        }
    }

    /// Sends actions for an element that are reduced as one turn. If one of them removes the element, those after it
    /// are dropped as late.
    @usableFromInline
    func send(batch actions: [Action], for element: any AnyElementStorage) -> SendOutcome {
        accept(actions.count, for: element) { [self] in
            root.deferStart(root.reduceInTurn(batch: actions, of: self, for: element) { propagate($0) {} })
        }
    }

    /// Sends actions whose result is not awaited.
    ///
    /// - Parameters:
    ///   - count: The number of actions.
    ///   - reduce: Reduces the actions. Called within the turn, unless the element was removed before.
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

    /// Dispatches an action that passed the asynchronous interceptors, and returns once it has been reduced.
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
            // Checked in the action's turn: the action may have waited for room in the mailbox.
            element.hasLeft ? .failure(.shutDown) : reduceUnlessEnded(action)
        }
        return begin(try result.get(), options.tracker)
    }

    /// Dispatches an action if this is possible without waiting.
    ///
    /// - Returns: `nil` if the store is busy. The action has not been reduced then.
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
    /// Passes an action for an element through the asynchronous interceptors; see
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
