import ActorStore

/// Wakes those who wait for something to change.
///
/// It counts, so that nothing is missed that happens between a look and the wait after it.
final class Bell: Sendable {
    private struct State {
        var rings: UInt64 = 0
        var waiters: [CheckedContinuation<Void, Never>] = []
    }

    private let state = LockedValue(State())

    /// How a wait has ended.
    enum Ending { case done, timedOut, cancelled }

    /// Says that something has changed.
    func ring() {
        let waiters = state.withLock { state in
            state.rings += 1
            defer { state.waiters = [] }
            return state.waiters
        }
        for waiter in waiters { waiter.resume() }
    }

    /// Waits until something is so, and looks each time that it is rung.
    ///
    /// The time is the last resort, for what never comes; nothing depends on how long it is as long as it is long enough.
    ///
    /// - Parameters:
    ///   - timeout: How long to wait at most, in real time. If it is zero it looks once.
    ///   - isDone: Looks.
    func wait(atMost timeout: Duration, isolation: isolated (any Actor)? = #isolation, until isDone: () -> Bool) async
        -> Ending
    {
        // The count is read before the look, so that what changes after it is noticed.
        var seen = rings
        if isDone() { return .done }
        guard timeout > .zero else { return .timedOut }
        let alarm = Alarm(ringing: self, after: timeout)
        defer { alarm.cancel() }
        return await withTaskCancellationHandler {
            while true {
                if Task.isCancelled { return .cancelled }
                await wait(after: seen)
                seen = rings
                if isDone() { return .done }
                if alarm.isOver { return .timedOut }
            }
        } onCancel: {
            ring()
        }
    }

    private var rings: UInt64 { state.withLock { $0.rings } }

    private func wait(after seen: UInt64, isolation: isolated (any Actor)? = #isolation) async {
        await withCheckedContinuation { continuation in
            let wasRung = state.withLock { state in
                guard state.rings == seen else { return true }
                state.waiters.append(continuation)
                return false
            }
            if wasRung { continuation.resume() }
        }
    }
}

/// Rings when a time is over.
private final class Alarm: Sendable {
    private let over: LockedValue<Bool>
    private let task: Task<Void, Never>

    init(ringing bell: Bell, after duration: Duration) {
        let over = LockedValue(false)
        self.over = over
        task = Task.detached {
            guard (try? await Task.sleep(for: duration, clock: .continuous)) != nil else { return }
            over.withLock { $0 = true }
            bell.ring()
        }
    }

    var isOver: Bool { over.withLock { $0 } }

    func cancel() { task.cancel() }
}
