/// The way of actions to a store.
@usableFromInline
struct ActionSink<Action: Sendable>: Sendable {
    /// The element that an action is for, if it is for one that can go.
    @usableFromInline typealias Element = any AnyElementStorage

    @usableFromInline typealias Dispatch =
        nonisolated(nonsending) @Sendable (Action, DispatchOptions) async throws(StoreError) -> StoreTask

    @usableFromInline let accept: @Sendable (Action, Element?) -> SendOutcome
    @usableFromInline let acceptBatch: @Sendable ([Action], Element?) -> SendOutcome
    @usableFromInline let dispatchWithOptions: Dispatch
    @usableFromInline let dispatchIfIdle: @Sendable (Action, DispatchOptions) -> Result<StoreTask, StoreError>?
    /// Reduces an action, in the turn, after what is `below`.
    @usableFromInline let propagate: @Sendable (_ action: Action, _ below: () -> Void) -> Result<Void, StoreError>
    /// Takes on an effect that no action asked for, in the turn.
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

    /// Accepts an action without waiting.
    @inlinable
    func send(_ action: Action) -> SendOutcome { accept(action, nil) }

    /// Accepts actions as one turn.
    @inlinable
    func send(batch actions: [Action]) -> SendOutcome { acceptBatch(actions, nil) }

    /// Has an action reduced, and returns when that is done.
    @inlinable
    func dispatch(
        _ action: Action,
        _ options: DispatchOptions = DispatchOptions(),
        isolation: isolated (any Actor)? = #isolation
    ) async throws(StoreError) -> StoreTask {
        try await dispatchWithOptions(action, options)
    }

    /// Dispatches an action if that need not wait; nil if the store is busy, or asks asynchronous interceptors, and
    /// then the action has not been reduced.
    @inlinable
    func dispatchWithoutWaiting(
        _ action: Action,
        _ options: DispatchOptions = DispatchOptions()
    ) -> Result<StoreTask, StoreError>? {
        dispatchIfIdle(action, options)
    }

    /// For a root.
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

    /// For a child.
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

    /// For those who speak in other actions.
    ///
    /// - Parameter root: The tree of the store; nil if it has no children, as a binding.
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

    /// For those who show an element of a state, which can go: they are refused from then on. One who shows an element
    /// of that names this one, which goes with the other.
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

/// What belongs to a dispatch beside its action.
@usableFromInline
struct DispatchOptions: Sendable {
    /// Those who await all that comes of the action, if there are any.
    @usableFromInline var tracker: EffectTracker?
    /// Its wait to be accepted, if that has a limit.
    @usableFromInline var acceptance: AcceptanceWait?
    /// The element that the action is for, if it is for one that can go.
    @usableFromInline var element: (any AnyElementStorage)?

    @inlinable
    init(joining tracker: EffectTracker? = nil, acceptance: AcceptanceWait? = nil) {
        self.tracker = tracker
        self.acceptance = acceptance
        element = nil
    }

    /// The same for an action of an element, or of an element within that.
    @inlinable
    func of(_ outer: any AnyElementStorage) -> DispatchOptions {
        var options = self
        if element == nil { options.element = outer }
        return options
    }
}

/// What a dispatch with an acceptance timeout knows of its caller, and whether it no longer waits for its action to be
/// accepted.
@usableFromInline
final class AcceptanceWait: Sendable {
    /// Whether the calling task had been cancelled before. The dispatch itself runs in a child task of it, which is
    /// cancelled when the time is up.
    let wasCancelled: Bool
    /// Pairs: what ends the wait notes this before it resumes the task that looks.
    private let end = AtomicValue<Bool>(false)

    init(wasCancelled: Bool) { self.wasCancelled = wasCancelled }

    /// Whether the action was not accepted because the wait for that was cancelled. Told by this and not by the error,
    /// because an interceptor can throw the same one.
    var isOver: Bool { end.loadAcquiring() }

    /// Takes note that the wait was given up.
    func noteEnd() { end.storeReleasing(true) }
}
