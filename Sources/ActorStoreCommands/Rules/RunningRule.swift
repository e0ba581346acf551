import ActorStore

/// A rule in use by one store.
struct RunningRule<State: Sendable, Action: Sendable>: Sendable {
    typealias Before = @Sendable (_ action: Action, _ state: UnsafePointer<State>) -> Void
    typealias After = @Sendable (_ action: Action, _ state: UnsafePointer<State>) -> Action?

    /// Called before an action is passed on.
    let before: Before?
    /// Called after an action has been reduced.
    let after: After?
    /// Called in place of `after` if the action was not reduced.
    let abandon: (@Sendable () -> Void)?
    /// Called once when the rule is removed, after the turn.
    let end: (@Sendable () -> Void)?
    /// Iterates over a sequence, and is cancelled when the rule is removed.
    let task: Task<Void, Never>?

    init(end: (@Sendable () -> Void)? = nil, task: Task<Void, Never>? = nil) {
        before = nil
        after = nil
        abandon = nil
        self.end = end
        self.task = task
    }

    init(after: @escaping After) {
        before = nil
        self.after = after
        abandon = nil
        end = nil
        task = nil
    }

    init(before: @escaping Before, after: @escaping After, abandon: @escaping @Sendable () -> Void) {
        self.before = before
        self.after = after
        self.abandon = abandon
        end = nil
        task = nil
    }
}

/// The store in which a rule is in use. It is not retained.
struct RuleSetting<State: Sendable, Action: Sendable>: Sendable {
    let store: WeakStore<State, Action>
    /// The name of the rules in errors.
    let name: String
    /// Whether the rule was removed, so that the actions it still sends are dropped.
    let end = CancellationNote()

    /// Sends an action. If it was lost because the mailbox is full, reports that: the rule has no caller to return it
    /// to.
    @discardableResult
    func send(_ action: Action) -> SendOutcome {
        if end.isNoted { return store.dropLate() }
        let outcome = store.send(action)
        if outcome == .dropped || outcome == .refused(.overloaded) { report(StoreError.overloaded) }
        return outcome
    }

    /// Dispatches an action. If it was lost because the mailbox is full, reports that.
    ///
    /// - Returns: Whether the store accepts more actions of the rule.
    func dispatch(_ action: Action, isolation: isolated (any Actor)? = #isolation) async -> Bool {
        if end.isNoted {
            store.dropLate()
            return false
        }
        do {
            try await store.dispatch(action)
            return true
        } catch {
            if error == .overloaded { report(error) }
            // The error does not decide: an interceptor can throw any error, and a rejection is not a failure of the
            // rule.
            return !Task.isCancelled && store.isAlive
        }
    }

    func report(_ error: any Error) {
        store.report(error, ofInterceptor: name)
    }

    /// Registers a closure that updates what a rule of a root remembers of the state, after each change that was not
    /// made by an action. Call it within the turn in which the rule starts.
    func renew(_ body: @escaping () -> Void) { store.addRenewal(of: end, body) }

    /// Starts a task with the executor and the priority of the store. An error is reported, unless the task was
    /// cancelled, or the error says that this store was shut down.
    func startTask(_ body: @escaping @Sendable () async throws -> Void) -> Task<Void, Never> {
        let configuration = store.configuration
        return Task.detached(executorPreference: configuration?.executor, priority: configuration?.priority) {
            do {
                try await body()
            } catch {
                // The same error of another store is reported like any other.
                let isOwnEnd = (error as? StoreError) == .shutDown && !store.isAlive
                if !Task.isCancelled && !isOwnEnd { report(error) }
            }
        }
    }
}
