// Support for `TestStore`, beside the public API.

extension Store {
    /// Registers a closure for the unhandled errors of the tree from now on.
    ///
    /// The closure is called before instruments record the end of the effect that failed, so a test that waits for the
    /// end of an effect finds its error. It counts as an observer of ``errors``. A tree has at most one such closure;
    /// another call replaces it.
    ///
    /// - Parameter body: A closure that is called within the turn, until the tree is released.
    package nonisolated func followErrors(_ body: @escaping @Sendable (StoreFailure) -> Void) {
        root.inTurn { [root] in root.failures.follow(body) }
    }

    /// Calls a closure after the current turn, if there is one, and after the messages that were in the mailbox at its
    /// end.
    ///
    /// - Parameter body: A closure that is called within a turn.
    package nonisolated func afterQueuedWork(_ body: @escaping @Sendable () -> Void) {
        // Messages of the current turn are queued before the outer closure runs, hence before the inner one is queued.
        root.inTurn { [root] in root.inTurn(body) }
    }
}

extension Store {
    /// Adds interceptors, the outermost first. All of them are in place before the first of them starts to send. Only
    /// for a root.
    package nonisolated func useTogether(_ interceptors: [Interceptor<State, Action>]) {
        if case .root(let core) = backing { core.useFirst(interceptors) }
    }

    /// Dispatches an action, and reports within the turn when its own reduction starts and ends. This lets a test store
    /// distinguish the dispatch from actions that are sent at the same time. The returned task awaits all feedback of
    /// the action.
    ///
    /// Only for a root.
    ///
    /// - Parameters:
    ///   - action: The action to reduce.
    ///   - bracket: A closure that is called with true directly before the action is reduced, and with false directly
    ///     after it. It is not called if the action is not reduced.
    /// - Returns: The effects, and the answer if the action is a request that a reducer has answered.
    package func dispatch(
        _ action: Action,
        isolation: isolated (any Actor)? = #isolation,
        bracketedBy bracket: @escaping @Sendable (_ isBeginning: Bool) -> Void
    ) async throws(StoreError) -> (task: StoreTask, answer: (any Sendable)?) {
        try await dispatch(action, tracksFeedback: true, bracketedBy: bracket)
    }
}

/// A reducer whose actions and effects run in surroundings that can differ for each action: those of a test store.
package struct SurroundedReducer<Base: Reducer>: Reducer {
    private let base: Base
    private let surroundings: @Sendable () -> Surroundings

    /// - Parameter surroundings: A closure that is called for each action, within the turn.
    package init(_ base: Base, surroundings: @escaping @Sendable () -> Surroundings) {
        self.base = base
        self.surroundings = surroundings
    }

    package func reduce(into state: inout Base.State, action: Base.Action) -> Effect<Base.Action> {
        let surroundings = surroundings()
        return StoreIssueReporter.$scoped.withValue(surroundings.reporter) {
            base.reduce(into: &state, action: action, with: surroundings.insideReducers)
        }.surrounded(by: surroundings)
    }

    package func prepared() -> PreparedReducer<Base.State, Base.Action> {
        let reducer = SurroundedReducer<PreparedReducer<Base.State, Base.Action>>(
            base.prepared(),
            surroundings: surroundings
        )
        return PreparedReducer { state, action in reducer.reduce(into: &state, action: action) }
    }
}

/// The dependencies and handlers that are in force in a reducer and its effects, independent of the sender.
package struct Surroundings: Sendable {
    fileprivate let dependencies: DependencyOverrides
    fileprivate let reporter: StoreIssueReporter
    fileprivate let dismiss: @Sendable () -> Void

    /// - Parameters:
    ///   - dependencies: The values of each ``Dependency``.
    ///   - reporter: The reporter that receives issues.
    ///   - dismiss: A closure that is called when an effect dismisses the child of this reducer.
    package init(
        dependencies: DependencyOverrides,
        reporter: StoreIssueReporter,
        dismiss: @escaping @Sendable () -> Void
    ) {
        self.dependencies = dependencies
        self.reporter = reporter
        self.dismiss = dismiss
    }

    fileprivate var insideReducers: DependencyOverrides {
        var values = dependencies
        values.areInReducer = true
        return values
    }

    fileprivate func dismissal() -> SendOutcome {
        dismiss()
        return .accepted
    }
}

extension Effect {
    /// Returns the effect in its surroundings, even where these are not inherited, as in effects of actions that were
    /// sent.
    fileprivate func surrounded(by surroundings: Surroundings) -> Effect {
        mapWork { work in
            work.body = { [body = work.body] send in try await body(send.dismissing(surroundings.dismissal)) }
            work = PresentationContext.presenting(work) { _ in surroundings.dismissal() }
                .binding(StoreIssueReporter.$scoped) { _ in surroundings.reporter }
        }
    }
}

extension Send {
    fileprivate func dismissing(_ dismissal: @escaping @Sendable () -> SendOutcome) -> Send {
        Send(dismissal: dismissal, pass)
    }
}
