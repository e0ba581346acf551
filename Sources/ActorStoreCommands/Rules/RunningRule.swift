import ActorStore

/// A rule as one store follows it.
struct RunningRule<State: Sendable, Action: Sendable>: Sendable {
    typealias Before = @Sendable (_ action: Action, _ state: UnsafePointer<State>) -> Void
    typealias After = @Sendable (_ action: Action, _ state: UnsafePointer<State>) -> Action?

    /// Called before an action is passed on.
    let before: Before?
    /// Called when an action has been reduced.
    let after: After?
    /// Called instead when it was not reduced.
    let abandon: (@Sendable () -> Void)?
    /// Called once, when the rule is followed no longer, after the turn.
    let end: (@Sendable () -> Void)?
    /// Follows a sequence, and is cancelled when the rule is followed no longer.
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

/// The store in which a rule is followed, which the rule does not keep alive.
struct RuleSetting<State: Sendable, Action: Sendable>: Sendable {
    let store: WeakStore<State, Action>
    /// Names the rules in errors.
    let name: String
    /// Whether it is followed no longer, so that what it still sends is dropped.
    let end = CancellationNote()

    /// Sends an action, and reports one that was lost because the mailbox is full: there is nobody else to be told.
    @discardableResult
    func send(_ action: Action) -> SendOutcome {
        if end.isNoted { return store.dropLate() }
        let outcome = store.send(action)
        if outcome == .dropped || outcome == .refused(.overloaded) { report(StoreError.overloaded) }
        return outcome
    }

    /// Dispatches an action, and reports one that was lost because the mailbox is full.
    ///
    /// - Returns: Whether the store takes more actions of the rule.
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
            // The error does not tell: an interceptor may throw any, and its decision is no failure of the rule.
            return !Task.isCancelled && store.isAlive
        }
    }

    func report(_ error: any Error) {
        store.report(error, ofInterceptor: name)
    }

    /// Has a rule of a root renew what it remembers of the state, after each change that no action has made. In the
    /// turn in which the rule begins.
    func renew(_ body: @escaping () -> Void) { store.addRenewal(of: end, body) }

    /// Starts a task with the executor and the priority of the store. What it throws is reported, unless it was
    /// cancelled or is told that the store has been shut down.
    func startTask(_ body: @escaping @Sendable () async throws -> Void) -> Task<Void, Never> {
        let configuration = store.configuration
        return Task.detached(executorPreference: configuration?.executor, priority: configuration?.priority) {
            do {
                try await body()
            } catch {
                // The same error of another store is one like any other.
                let isOwnEnd = (error as? StoreError) == .shutDown && !store.isAlive
                if !Task.isCancelled && !isOwnEnd { report(error) }
            }
        }
    }
}
