/// Runs an operation that has only so much time.
///
/// ```swift
/// let user = try await withTimeout(.seconds(5)) { try await users.load(id) }
/// ```
///
/// When the time is up the operation is cancelled, and its result no longer counts, even if it comes to one. It is a
/// child of the calling task, so this returns when it has ended: an operation that takes no notice of its cancellation
/// holds up the return.
///
/// - Parameters:
///   - duration: How long it has.
///   - tolerance: By how much it may have longer; nil leaves that to the clock.
///   - clock: Measures the time; a test gives one of its own.
///   - operation: What to run. It is cancelled with the calling task.
///   - isolation: The caller's actor, on which this runs; leave the default.
/// - Returns: what the operation returns.
/// - Throws: ``TimedOut`` if it has not ended in time, and otherwise what it throws.
@discardableResult
public func withTimeout<Value: Sendable>(
    _ duration: Duration,
    tolerance: Duration? = nil,
    clock: any Clock<Duration> = ContinuousClock(),
    isolation: isolated (any Actor)? = #isolation,
    operation: @escaping @Sendable () async throws -> Value
) async throws -> Value {
    let deadline = Deadline(duration: duration, tolerance: tolerance, clock: clock)
    guard let value = try await deadline.run(operation, gate: DeadlineGate()) else { throw TimedOut(after: duration) }
    return value
}
