import ActorStore

/// Counts changes, and resumes the tasks that wait for one.
///
/// Because it counts, no change is missed between a check and the wait after it (Reed and Kanodia, *Synchronization
/// with eventcounts and sequencers*, 1979).
final class EventCounter: Sendable {
    private struct State {
        var count: UInt64 = 0
        var waiters: [CheckedContinuation<Void, Never>] = []
    }

    private let state = LockedValue(State())

    /// The reason why a wait has ended.
    enum Ending { case done, timedOut, cancelled }

    /// Records a change, and resumes the waiting tasks.
    func advance() {
        let waiters = state.withLock { state in
            state.count += 1
            defer { state.waiters = [] }
            return state.waiters
        }
        for waiter in waiters { waiter.resume() }
    }

    /// Waits until a condition holds, which is checked after each change.
    ///
    /// The timeout is for a condition that never holds. No result depends on its length, provided that it is long
    /// enough.
    ///
    /// - Parameters:
    ///   - timeout: The longest wait, in real time. With zero, the condition is checked once.
    ///   - isDone: Checks the condition.
    func wait(atMost timeout: Duration, isolation: isolated (any Actor)? = #isolation, until isDone: () -> Bool) async
        -> Ending
    {
        // The count is read before the check, so a change after it is noticed.
        var seen = count
        if isDone() { return .done }
        guard timeout > .zero else { return .timedOut }
        let deadline = Timeout(of: self, after: timeout)
        defer { deadline.cancel() }
        return await withTaskCancellationHandler {
            while true {
                if Task.isCancelled { return .cancelled }
                await wait(after: seen)
                seen = count
                if isDone() { return .done }
                if deadline.isOver { return .timedOut }
            }
        } onCancel: {
            advance()
        }
    }

    private var count: UInt64 { state.withLock { $0.count } }

    private func wait(after seen: UInt64, isolation: isolated (any Actor)? = #isolation) async {
        await withCheckedContinuation { continuation in
            let hasChanged = state.withLock { state in
                guard state.count == seen else { return true }
                state.waiters.append(continuation)
                return false
            }
            if hasChanged { continuation.resume() }
        }
    }
}

/// Advances a counter when a time is over.
private final class Timeout: Sendable {
    private let over: LockedValue<Bool>
    private let task: Task<Void, Never>

    init(of changes: EventCounter, after duration: Duration) {
        let over = LockedValue(false)
        self.over = over
        task = Task.detached {
            guard (try? await Task.sleep(for: duration.boundedWait, clock: .continuous)) != nil else { return }
            over.withLock { $0 = true }
            changes.advance()
        }
    }

    var isOver: Bool { over.withLock { $0 } }

    func cancel() { task.cancel() }
}
