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
