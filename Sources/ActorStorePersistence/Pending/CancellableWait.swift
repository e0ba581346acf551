/// Waits until somebody resumes a continuation, or the task is cancelled.
///
/// - Parameters:
///   - add: Keeps the continuation for whoever resumes it. Returns false if that has been done already.
///   - remove: Takes it back, so that nobody else resumes it; nil if somebody has, or will.
/// - Throws: What it is resumed with, or a `CancellationError`.
func waitCancellably(
    isolation: isolated (any Actor)? = #isolation,
    _ add: (CheckedContinuation<Void, any Error>) -> Bool,
    remove: @escaping @Sendable () -> CheckedContinuation<Void, any Error>?
) async throws {
    try await withTaskCancellationHandler {
        try await withCheckedThrowingContinuation { waiter in
            // The handler may have run before there was somebody to take back.
            if add(waiter), Task.isCancelled { remove()?.resume(throwing: CancellationError()) }
        }
    } onCancel: {
        remove()?.resume(throwing: CancellationError())
    }
}
