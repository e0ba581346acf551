// What a `TestStore` asks of the store that it tests, beside the public API.

extension Store {
    /// Registers a closure for the unhandled errors of the tree from now on.
    ///
    /// The closure is called before instruments record the end of the effect that failed, so that a test that waits for
    /// the end of an effect finds its error. It counts as an observer of ``errors``. A tree has at most one such
    /// closure; another call replaces it.
    ///
    /// - Parameter body: Called in the turn, until the tree is released.
    package nonisolated func followErrors(_ body: @escaping @Sendable (StoreFailure) -> Void) {
        root.inTurn { [root] in root.failures.follow(body) }
    }

    /// Calls a closure after the current turn, if there is one, and after the messages that were in the mailbox at its
    /// end.
    ///
    /// - Parameter body: Called in a turn.
    package nonisolated func afterQueuedWork(_ body: @escaping @Sendable () -> Void) {
        // Messages of the current turn are queued before the outer closure runs, hence before the inner one is queued.
        root.inTurn { [root] in root.inTurn(body) }
    }
}

extension Store {
    /// Has actions pass through interceptors from now on, the outermost first, all of which stand when the first of
    /// them begins to send. For a root only.
    package nonisolated func useTogether(_ interceptors: [Interceptor<State, Action>]) {
        if case .root(let core) = backing { core.useFirst(interceptors) }
    }

    /// Dispatches an action, all that comes of which is awaited by the task that is returned, and says in the turn when
    /// its own reduction begins and ends: so a test store can tell it from what others send at the same time.
    ///
    /// For a root only.
    ///
    /// - Parameters:
    ///   - action: What happens.
    ///   - bracket: Called with true right before the action is reduced, and with false right after it; not at all if
    ///     it is not.
    /// - Returns: The effects, and the answer, if the action is a request that a reducer has answered.
    package func dispatch(
        _ action: Action,
        isolation: isolated (any Actor)? = #isolation,
        bracketedBy bracket: @escaping @Sendable (_ isBeginning: Bool) -> Void
    ) async throws(StoreError) -> (task: StoreTask, answer: (any Sendable)?) {
        try await dispatch(action, tracksFeedback: true) { bracket($0 != nil) }
    }
}

/// Runs a reducer and its effects in surroundings that can be others for each action: those of a test store.
package struct SurroundedReducer<Base: Reducer>: Reducer {
    private let base: Base
    private let surroundings: @Sendable () -> Surroundings

    /// - Parameter surroundings: Called for each action, in the turn.
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

/// What is in force in a reducer and its effects, whoever sends and dispatches.
package struct Surroundings: Sendable {
    fileprivate let dependencies: DependencyOverrides
    fileprivate let reporter: StoreIssueReporter
    fileprivate let dismiss: @Sendable () -> Void

    /// - Parameters:
    ///   - dependencies: What counts for a ``Dependency``.
    ///   - reporter: Gets the issues.
    ///   - dismiss: Called by an effect that takes the child away whose reducer this is.
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
    /// The same work in its surroundings, also where these are not inherited: in effects of actions that were sent.
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
