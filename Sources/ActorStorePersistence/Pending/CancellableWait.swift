import ActorStore

/// Waits until a continuation is resumed, or the task is cancelled.
///
/// - Parameters:
///   - isolation: The actor on which this runs; by default the caller's.
///   - add: Stores the continuation. Returns false if it has been resumed already.
///   - remove: Removes the continuation, so that no other code resumes it; nil if other code has resumed it, or will.
/// - Throws: The error with which the continuation is resumed, or a `CancellationError`.
func waitCancellably(
    isolation: isolated (any Actor)? = #isolation,
    _ add: (CheckedContinuation<Void, any Error>) -> Bool,
    remove: @escaping @Sendable () -> CheckedContinuation<Void, any Error>?
) async throws {
    try await withTaskCancellationHandler {
        try await withCheckedThrowingContinuation { waiter in
            // The handler may have run before the continuation was stored.
            if add(waiter), Task.isCancelled { remove()?.resume(throwing: CancellationError()) }
        }
    } onCancel: {
        remove()?.resume(throwing: CancellationError())
    }
}

/// Waits until an entry is settled, or the task is cancelled.
///
/// - Parameters:
///   - isolation: The actor on which this runs; by default the caller's.
///   - begin: Registers the continuation for the entry.
///   - wake: Wakes the writer.
///   - remove: Removes the continuation, so that no other code resumes it; nil if other code has resumed it, or will.
/// - Throws: The reason why no more entries are settled, or a `CancellationError`.
func waitForEntry(
    isolation: isolated (any Actor)? = #isolation,
    _ begin: (CheckedContinuation<Void, any Error>) -> PendingEntries<CheckedContinuation<Void, any Error>>.Wait,
    wake: (PendingEntries<CheckedContinuation<Void, any Error>>.Wake) -> Void,
    remove: @escaping @Sendable () -> CheckedContinuation<Void, any Error>?
) async throws {
    try await waitCancellably { waiter in
        switch begin(waiter) {
        case .waits(let wakeUp):
            wake(wakeUp)
            return true
        case .over(let error):
            if let error { waiter.resume(throwing: error) } else { waiter.resume() }
            return false
        }
    } remove: {
        remove()
    }
}

/// Runs an operation that cannot be cancelled, and waits until it ends or the calling task is cancelled. The operation
/// then continues.
///
/// - Parameters:
///   - isolation: The actor on which this runs; by default the caller's.
///   - operation: The operation.
/// - Returns: The result of the operation.
/// - Throws: The error of the operation, or a `CancellationError`.
func waitCancellably<Value: Sendable>(
    isolation: isolated (any Actor)? = #isolation,
    for operation: @escaping @Sendable () async throws -> Value
) async throws -> Value {
    try Task.checkCancellation()
    let result = Promise<Result<Value, any Error>>()
    return try await withTaskCancellationHandler {
        Task {
            do { result.settle(.success(try await operation())) } catch { result.settle(.failure(error)) }
        }
        return try await result.wait().get()
    } onCancel: {
        result.settle(.failure(CancellationError()))
    }
}
