/// The entry point for the actions of a store.
@usableFromInline
struct ActionSink<Action: Sendable>: Sendable {
    /// The element that an action targets, if it targets an element that can be removed.
    @usableFromInline typealias Element = any AnyElementStorage

    @usableFromInline typealias Dispatch =
        nonisolated(nonsending) @Sendable (Action, DispatchOptions) async throws(StoreError) -> StoreTask

    @usableFromInline let accept: @Sendable (Action, Element?) -> SendOutcome
    @usableFromInline let acceptBatch: @Sendable ([Action], Element?) -> SendOutcome
    @usableFromInline let dispatchWithOptions: Dispatch
    @usableFromInline let dispatchIfIdle: @Sendable (Action, DispatchOptions) -> Result<StoreTask, StoreError>?
    /// Reduces an action after calling `below`, which reduces it in the stores below. Used within the turn.
    @usableFromInline let propagate: @Sendable (_ action: Action, _ below: () -> Void) -> Result<Void, StoreError>
    /// Registers an effect that was not returned for an action. Used within the turn.
    @usableFromInline let take: @Sendable (_ effect: Effect<Action>, _ pending: inout PendingTasks) -> Void

    @inlinable
    init(
        accept: @escaping @Sendable (Action, Element?) -> SendOutcome,
        acceptBatch: @escaping @Sendable ([Action], Element?) -> SendOutcome,
        dispatch: @escaping Dispatch,
        dispatchIfIdle: @escaping @Sendable (Action, DispatchOptions) -> Result<StoreTask, StoreError>?,
        propagate: @escaping @Sendable (_ action: Action, _ below: () -> Void) -> Result<Void, StoreError>,
        take: @escaping @Sendable (_ effect: Effect<Action>, _ pending: inout PendingTasks) -> Void
    ) {
        self.accept = accept
        self.acceptBatch = acceptBatch
        dispatchWithOptions = dispatch
        self.dispatchIfIdle = dispatchIfIdle
        self.propagate = propagate
        self.take = take
    }

    /// Sends an action without waiting.
    @inlinable
    func send(_ action: Action) -> SendOutcome { accept(action, nil) }

    /// Sends actions that are reduced as one turn, without waiting.
    @inlinable
    func send(batch actions: [Action]) -> SendOutcome { acceptBatch(actions, nil) }

    /// Dispatches an action and returns once it has been reduced.
    @inlinable
    func dispatch(
        _ action: Action,
        _ options: DispatchOptions = DispatchOptions(),
        isolation: isolated (any Actor)? = #isolation
    ) async throws(StoreError) -> StoreTask {
        try await dispatchWithOptions(action, options)
    }

    /// Dispatches an action if this is possible without waiting. Returns `nil`, without reducing the action, if the
    /// store is busy or has asynchronous interceptors.
    @inlinable
    func dispatchWithoutWaiting(
        _ action: Action,
        _ options: DispatchOptions = DispatchOptions()
    ) -> Result<StoreTask, StoreError>? {
        dispatchIfIdle(action, options)
    }

    /// Creates the sink of a root.
    @inlinable
    init<State>(_ core: StoreCore<State, Action>) {
        self.init { action, element in
            if let element { core.send(action, for: element) } else { core.send(action) }
        } acceptBatch: { actions, element in
            if let element { core.send(batch: actions, for: element) } else { core.send(contentsOf: actions) }
        } dispatch: { action, options throws(StoreError) in
            if let element = options.element {
                let action = try await core.askFirst(action, for: element, acceptance: options.acceptance)
                return try await core.dispatch(action, for: element, options)
            }
            if let tracker = options.tracker {
                return try await core.dispatch(action, joining: tracker, acceptance: options.acceptance)
            }
            return try await core.dispatch(action, acceptance: options.acceptance)
        } dispatchIfIdle: { action, options in
            if options.element == nil, options.tracker == nil { return core.dispatchWithoutWaiting(action) }
            return core.hasAsyncInterceptors ? nil : core.dispatchWithoutWaiting(action, options)
        } propagate: { action, below in
            core.propagate(action, below)
        } take: { effect, pending in
            core.take(effect, into: &pending)
        }
    }

    /// Creates the sink of a child.
    @inlinable
    init<State>(_ node: ChildNode<State, Action>) {
        self.init { action, element in
            if let element { node.send(action, for: element) } else { node.send(action) }
        } acceptBatch: { actions, element in
            if let element { node.send(batch: actions, for: element) } else { node.send(batch: actions) }
        } dispatch: { action, options throws(StoreError) in
            if let element = options.element {
                return try await node.dispatch(action, for: element, options)
            }
            if let tracker = options.tracker {
                return try await node.dispatch(action, joining: tracker, acceptance: options.acceptance)
            }
            return try await node.dispatch(action, acceptance: options.acceptance)
        } dispatchIfIdle: { action, options in
            if options.element == nil, options.tracker == nil { return node.dispatchWithoutWaiting(action) }
            return node.dispatchWithoutWaiting(action, options)
        } propagate: { action, below in
            node.propagate(action, below)
        } take: { effect, pending in
            node.take(effect, into: &pending)
        }
    }

    /// Returns a sink for other actions, which are embedded in those of this sink.
    ///
    /// - Parameters:
    ///   - embed: Converts an action into an action of this sink.
    ///   - root: The tree of the store; `nil` if it has no children, as with a binding.
    @inlinable
    func map<LocalAction: Sendable>(
        _ embed: @escaping @Sendable (LocalAction) -> Action,
        in root: TreeRoot? = nil
    ) -> ActionSink<LocalAction> {
        ActionSink<LocalAction> { action, element in
            accept(embed(action), element)
        } acceptBatch: { actions, element in
            acceptBatch(actions.map(embed), element)
        } dispatch: { action, options throws(StoreError) in
            try await dispatchWithOptions(embed(action), options)
        } dispatchIfIdle: { action, options in
            dispatchIfIdle(embed(action), options)
        } propagate: { action, below in
            let action = embed(action)
            root?.retire(action)
            return propagate(action, below)
        } take: { effect, pending in
            take(effect.mapped(embed), &pending)
        }
    }

    /// Returns a sink for a scope of an element that can be removed; it refuses actions after the removal. For a nested
    /// element, the inner element counts, because it is removed together with the outer one.
    @inlinable
    func of(_ element: Element) -> ActionSink {
        ActionSink(
            accept: { action, inner in accept(action, inner ?? element) },
            acceptBatch: { actions, inner in acceptBatch(actions, inner ?? element) },
            dispatch: { action, options throws(StoreError) in
                try await dispatchWithOptions(action, options.of(element))
            },
            dispatchIfIdle: { action, options in dispatchIfIdle(action, options.of(element)) },
            propagate: propagate,
            take: take
        )
    }
}

/// The options of a dispatch.
@usableFromInline
struct DispatchOptions: Sendable {
    /// Counts the effects of the action and of its feedback, if they are awaited together.
    @usableFromInline var tracker: EffectTracker?
    /// The wait for acceptance, if it is limited.
    @usableFromInline var acceptance: AcceptanceWait?
    /// The element that the action targets, if it targets an element that can be removed.
    @usableFromInline var element: (any AnyElementStorage)?

    @inlinable
    init(joining tracker: EffectTracker? = nil, acceptance: AcceptanceWait? = nil) {
        self.tracker = tracker
        self.acceptance = acceptance
        element = nil
    }

    /// Returns the options for an action that targets an element. If the options already have an element, that one is
    /// nested and stays.
    @inlinable
    func of(_ outer: any AnyElementStorage) -> DispatchOptions {
        var options = self
        if element == nil { options.element = outer }
        return options
    }
}

/// The wait of a dispatch with an acceptance timeout for its action to be accepted.
@usableFromInline
final class AcceptanceWait: Sendable {
    /// Whether the calling task was cancelled before the dispatch. The dispatch itself runs in a child task, which is
    /// cancelled at the timeout.
    let wasCancelled: Bool
    /// Pairs: the code that ends the wait stores this before it resumes the task that loads it.
    private let end = AtomicValue<Bool>(false)

    init(wasCancelled: Bool) { self.wasCancelled = wasCancelled }

    /// Whether the action was not accepted because the wait for acceptance was cancelled. The error alone does not
    /// tell, because an interceptor can throw the same error.
    var isOver: Bool { end.loadAcquiring() }

    /// Records that the wait was given up.
    func noteEnd() { end.storeReleasing(true) }
}
