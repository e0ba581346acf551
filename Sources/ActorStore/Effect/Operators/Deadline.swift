/// By when work must have ended.
struct Deadline: Sendable {
    let duration: Duration
    let tolerance: Duration?
    let clock: any Clock<Duration>

    private enum Event<Value: Sendable>: Sendable {
        case ended(Result<Value, any Error>)
        case missed
        /// What came second.
        case late
    }

    /// Runs work until it ends, or cancels it when the time is up. Waits for its end also then: work that is cancelled
    /// and takes no notice holds up the return, but not `whenMissed`.
    ///
    /// - Parameters:
    ///   - operation: The work.
    ///   - gate: Decides who came first.
    ///   - whenMissed: Called at the deadline, if the work has not ended then.
    /// - Returns: what the work returns; nil if it has not ended in time, whatever it returns or throws then.
    nonisolated(nonsending) func run<Value: Sendable>(
        _ operation: @escaping @Sendable () async throws -> Value,
        gate: DeadlineGate,
        whenMissed: () -> Void = {}
    ) async throws -> Value? {
        let outcome = await withTaskGroup(of: Event<Value>.self) { group in
            group.addTask {
                let result: Result<Value, any Error>
                do { result = .success(try await operation()) } catch { result = .failure(error) }
                return gate.end() ? .ended(result) : .late
            }
            group.addTask { [self] in
                do {
                    try await clock.sleep(for: duration.boundedWait, tolerance: tolerance?.boundedWait)
                } catch {
                    if Task.isCancelled { return .late }
                    // A clock that fails is no reason to let the work go on without a deadline.
                    return await gate.expire() ? .ended(.failure(error)) : .late
                }
                return await gate.expire() ? .missed : .late
            }
            var outcome: Result<Value, any Error>?
            for await event in group {
                switch event {
                case .ended(let result):
                    group.cancelAll()
                    outcome = result
                case .missed:
                    group.cancelAll()
                    whenMissed()
                case .late:
                    break
                }
            }
            return outcome
        }
        return try outcome?.get()
    }
}
