import ActorStore

/// What a ``TestStore`` shares with the store that it tests: the log, under a lock, and the executor. It does not hold the
/// store.
final class TestStoreSession<State: Sendable, Action: Sendable>: Sendable {
    typealias Log = TestStoreLog<State, Action>

    let executor: ManualExecutor
    private let log = Shielded(Log())
    private let dependencyValues: Shielded<DependencyValues>

    init(executor: ManualExecutor, dependencies: DependencyValues) {
        self.executor = executor
        dependencyValues = Shielded(dependencies)
    }

    var dependencies: DependencyValues {
        get { dependencyValues.withLock { $0 } }
        set {
            // Carried out of the lock, so that what was overridden is not released under it.
            let previous = dependencyValues.withLock { values in
                defer { values = newValue }
                return values
            }
            withExtendedLifetime(previous) {}
        }
    }

    /// Changes the log, and wakes who waits for a change.
    ///
    /// - Returns: what the log has let go of.
    @discardableResult
    func note<Result>(_ change: (inout Log) -> Result) -> Result {
        defer { executor.bell.ring() }
        return log.withLock(change)
    }

    func take<Result>(_ body: (inout Log) -> Result) -> Result { log.withLock(body) }

    /// Lets effects run, and waits until something is so, as far as it is not; each change of the log and each piece of work
    /// that comes back to the executor is a reason to look again.
    nonisolated(nonsending) func wait(
        atMost timeout: Duration,
        _ location: TestLocation,
        until isDone: (Log) -> Bool
    ) async -> Bell.Ending {
        await executor.bell.wait(atMost: timeout) {
            executor.run(location)
            return isDone(log.withLock { $0 })
        }
    }

    /// What is in force in the reducer under test and its effects.
    var surroundings: Surroundings {
        Surroundings(
            dependencies: dependencies,
            reporter: IssueReporter { [self] issue in note { $0.note(issue) } },
            dismiss: { [self] in note { $0.dismiss() } }
        )
    }

    /// Notes each action that is reduced. The innermost, so that it sees what the reducer sees.
    var interceptor: Interceptor<State, Action> {
        Interceptor("TestStore") { [self] action, context, next in
            try next(action)
            let state = context.state
            note { $0.note(action, state) }
        }
    }

    /// Notes each error that nobody made an action of, in the turn: before anybody finds that the effect is over.
    func followErrors(of store: Store<State, Action>) {
        store.followErrors { [self] failure in note { $0.note(failure) } }
    }
}

extension TestStoreSession: StoreInstrument {
    func actionAccepted(_ event: AcceptedAction) { note { $0.note(event) } }
    func effectBegan(_ event: BegunEffect) { note { $0.begin(event) } }
    func effectEnded(_ event: EndedEffect) { note { $0.end(event.effect) } }
    func effectCancelled(_ event: EndedEffect) { note { $0.end(event.effect) } }
    func effectFailed(_ event: EndedEffect, _ error: any Error) { note { $0.end(event.effect) } }
}
