import ActorStore
import ActorStoreComposition

/// The values that a ``TestStore`` shares with the store under test: the log, under a lock, and the executor. It does
/// not retain the store.
final class TestStoreSession<State: Sendable, Action: Sendable>: Sendable {
    typealias Log = TestStoreLog<State, Action>

    let executor: ManualExecutor
    private let log = LockedValue((log: Log(), isClosed: false))
    private let dependencyValues: LockedValue<DependencyValues>

    init(executor: ManualExecutor, dependencies: DependencyValues) {
        self.executor = executor
        dependencyValues = LockedValue(dependencies)
    }

    var dependencies: DependencyValues {
        get { dependencyValues.withLock { $0 } }
        set {
            // Moved out of the lock, so that overridden values are not released under it.
            let previous = dependencyValues.withLock { values in
                defer { values = newValue }
                return values
            }
            withExtendedLifetime(previous) {}
        }
    }

    /// Changes the log, and resumes tasks that wait for a change.
    ///
    /// - Returns: The values that `change` removed from the log; nil if the log is closed.
    @discardableResult
    func note<Result>(_ change: (inout Log) -> Result) -> Result? {
        defer { executor.changes.advance() }
        return log.withLock { state -> Result? in
            if state.isClosed { return nil }
            state.log.changes += 1
            return change(&state.log)
        }
    }

    func take<Result>(_ body: (inout Log) -> Result) -> Result { log.withLock { body(&$0.log) } }

    /// Removes all entries and ignores later ones: an action in the log can retain the store, which retains this
    /// session.
    func close() {
        // Released after the lock.
        let last = log.withLock { state in
            defer { state = (Log(), true) }
            return state.log
        }
        withExtendedLifetime(last) {}
    }

    /// Runs effects, and waits until a condition holds. Each change of the log, and each job that returns to the
    /// executor, triggers another check.
    func wait(
        atMost timeout: Duration,
        _ location: TestLocation,
        isolation: isolated (any Actor)? = #isolation,
        until isDone: (Log) -> Bool
    ) async -> EventCounter.Ending {
        await executor.changes.wait(atMost: timeout) {
            executor.run(location)
            return isDone(take { $0 })
        }
    }

    /// Runs effects, and returns when no effect runs and the store has no work left, or when `isDone` returns `true`,
    /// or at the timeout.
    ///
    /// The turn in which an effect ends begins the effects that follow it, or queues their actions. Another thread can
    /// read the log in the middle of that turn, so an empty list of effects counts only if it is still empty after that
    /// turn and after the messages that were in the mailbox at its end.
    func waitUntilIdle(
        _ store: Store<State, Action>,
        atMost timeout: Duration,
        _ location: TestLocation,
        isolation: isolated (any Actor)? = #isolation,
        orUntil isDone: (Log) -> Bool = { _ in false }
    ) async -> EventCounter.Ending {
        var asked: Int?
        return await wait(atMost: timeout, location) { log in
            if isDone(log) { return true }
            guard log.running.isEmpty else { return false }
            let changes = log.changes
            if asked != changes {
                asked = changes
                store.afterQueuedWork { [self] in
                    take { $0.quietSince = changes }
                    executor.changes.advance()
                }
            }
            // An idle store has run the closure by now.
            return take { $0.quietSince == $0.changes }
        }
    }

    /// The dependencies, the issue reporter and the dismissal of the reducer under test and its effects.
    var surroundings: Surroundings {
        Surroundings(
            dependencies: dependencies.overrides,
            reporter: StoreIssueReporter { [self] issue in note { $0.note(issue) } },
            dismiss: { [self] in note { $0.dismiss() } }
        )
    }

    /// An interceptor that records each action as the reducer receives it, inside all other interceptors.
    var interceptor: Interceptor<State, Action> {
        var recorder = Interceptor<State, Action>("TestStore") { [self] action, context, next in
            try next(action)
            let state = context.state
            note { $0.note(action, state) }
        }
        recorder.staysInnermost = true
        return recorder
    }

    /// Records each unhandled error in the turn, before the end of its effect.
    func followErrors(of store: Store<State, Action>) {
        store.followErrors { [self] failure in note { $0.note(failure) } }
    }
}

extension TestStoreSession: StoreInstrument {
    func record(_ event: InstrumentEvent) {
        switch event {
        case .actionAccepted(let event): note { $0.note(event) }
        case .effectBegan(let event): note { $0.begin(event) }
        case .effectEnded(let event), .effectCancelled(let event), .effectFailed(let event, _):
            note { $0.end(event.effect) }
        case .actionReduced, .actionDropped, .observersNotified: break
        }
    }
}
