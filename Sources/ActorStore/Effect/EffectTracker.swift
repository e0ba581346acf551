/// Counts the effects that one action started, for those who await or cancel them through a ``StoreTask``.
@usableFromInline
final class EffectTracker: @unchecked Sendable {
    // Sound: all mutable state is read and written under `lock`.
    private let lock = Lock()
    private var outstanding = 1
    private var cancelled = false
    private var handles: [UInt64: EffectHandle] = [:]
    private var failure: (any Error)?
    private var waiters = SuspensionQueue<UnsafeContinuation<Void, any Error>>()

    var isCancelled: Bool { lock.withLock { cancelled } }
    var isFinished: Bool { lock.withLock { outstanding == 0 } }

    /// Takes note of a piece of work that was asked for.
    func add(_ handle: EffectHandle) {
        let wasCancelled = lock.withLock {
            handles[handle.number] = handle
            return cancelled
        }
        if wasCancelled { handle.cancel() }
    }

    /// Takes note that a task was started, or that the plan as a whole still goes on.
    func begin() { lock.withLock { outstanding += 1 } }

    /// Takes note that a piece of work will not be done, or was done.
    func remove(_ handle: EffectHandle) {
        lock.withLock { _ = handles.removeValue(forKey: handle.number) }
    }

    /// The counterpart of ``begin()``, and once more of creating the tracker.
    func end(failure: (any Error)? = nil) {
        let (finished, outcome): ([UnsafeContinuation<Void, any Error>], (any Error)?) = lock.withLock {
            if self.failure == nil { self.failure = failure }
            outstanding -= 1
            return outstanding == 0 ? (waiters.removeAll(), self.failure) : ([], nil)
        }
        for waiter in finished {
            if let outcome { waiter.resume(throwing: outcome) } else { waiter.resume() }
        }
    }

    /// Cancels what was begun and what was not.
    func cancel() {
        let running = lock.withLock {
            cancelled = true
            return Array(handles.values)
        }
        for handle in running { handle.cancel() }
    }

    /// Waits until all is done. Throws the first error that no one made an action of, or a `CancellationError` if the
    /// calling task is cancelled first.
    nonisolated(nonsending) func finish() async throws {
        let ticket = Ticket()
        try await withTaskCancellationHandler {
            try await withUnsafeThrowingContinuation { continuation in
                let immediately: Result<Void, any Error>? = lock.withLock {
                    if outstanding == 0 { return failure.map { .failure($0) } ?? .success(()) }
                    if ticket.isCancelled { return .failure(CancellationError()) }
                    ticket.key = waiters.append(continuation)
                    return nil
                }
                if let immediately { continuation.resume(with: immediately) }
            }
        } onCancel: {
            let waiter = lock.withLock {
                ticket.isCancelled = true
                return ticket.key.flatMap { waiters.remove($0) }
            }
            waiter?.resume(throwing: CancellationError())
        }
    }

    /// One call of ``finish()``.
    private final class Ticket: @unchecked Sendable {
        // Sound: both are read and written under the tracker's lock.
        var key: UInt64?
        var isCancelled = false
    }
}
