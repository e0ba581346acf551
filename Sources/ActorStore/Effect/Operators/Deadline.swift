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
    /// and takes no notice holds up the return, but not `whenMissed`. Neither does work that blocks an executor of its
    /// own, or an actor that is busy: the work alone runs where the calling task prefers it.
    ///
    /// - Parameters:
    ///   - operation: The work.
    ///   - gate: Decides who came first.
    ///   - whenMissed: Called at the deadline, if the work has not ended then.
    /// - Returns: what the work returns; nil if it has not ended in time, whatever it returns or throws then.
    @concurrent
    func run<Value: Sendable>(
        _ operation: @escaping @Sendable () async throws -> Value,
        gate: DeadlineGate,
        whenMissed: @Sendable () -> Void = {}
    ) async throws -> Value? {
        let alarmExecutor = Self.alarmExecutor
        let executor = Self.executorOfWork(apartFrom: alarmExecutor)
        let outcome = await withTaskExecutorPreference(executor == nil ? nil : alarmExecutor) {
            await race(operation, on: executor, gate: gate, whenMissed: whenMissed)
        }
        return try outcome?.get()
    }

    /// Where the alarm is: on the executor of the store whose effect this is, or the global one.
    private static var alarmExecutor: any TaskExecutor {
        CurrentEffect.effect?.storeExecutor ?? globalConcurrentExecutor
    }

    /// Where the calling task prefers to run, unless that is the executor of the alarm, or one of a simulation.
    private static func executorOfWork(apartFrom alarmExecutor: any TaskExecutor) -> (any TaskExecutor)? {
        guard #available(macOS 26.4, iOS 26.4, tvOS 26.4, watchOS 26.4, visionOS 26.4, *) else { return nil }
        let executor = withUnsafeCurrentTask { $0?.unownedTaskExecutor?.asTaskExecutor() }
        return executor === alarmExecutor || executor is any DeterministicExecutor ? nil : executor
    }

    /// Runs work and its alarm, which is on the executor that the calling task prefers.
    ///
    /// - Parameter executor: Where the work runs; nil for that of the calling task.
    @concurrent
    private func race<Value: Sendable>(
        _ operation: @escaping @Sendable () async throws -> Value,
        on executor: (any TaskExecutor)?,
        gate: DeadlineGate,
        whenMissed: @Sendable () -> Void
    ) async -> Result<Value, any Error>? {
        await withTaskGroup(of: Event<Value>.self) { group in
            let work: @Sendable () async -> Event<Value> = {
                let result: Result<Value, any Error>
                do { result = .success(try await operation()) } catch { result = .failure(error) }
                return gate.end() ? .ended(result) : .late
            }
            // Given nil, release builds of Swift 6.3 start a child on the global executor, and not where its parent
            // runs.
            if let executor {
                group.addTask(executorPreference: executor, operation: work)
            } else {
                group.addTask(operation: work)
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
    }
}

/// Decides between work and its deadline: exactly one of them comes first, and after the deadline nothing of the work
/// passes. A plain value.
struct DeadlineGateMachine {
    private enum Phase { case open, met, missed }
    private var phase = Phase.open
    /// How many are passing through.
    private var inside = 0
    private var isAwaited = false

    /// Something of the work wants to pass. Who may pass must ``leave()``.
    mutating func enter() -> Bool {
        guard phase != .missed else { return false }
        inside += 1
        return true
    }

    /// - Returns: whether the one who waits is to be woken.
    mutating func leave() -> Bool {
        inside -= 1
        guard isAwaited, inside == 0 else { return false }
        isAwaited = false
        return true
    }

    /// The work has ended.
    ///
    /// - Returns: whether it was in time.
    mutating func end() -> Bool {
        guard phase == .open else { return false }
        phase = .met
        return true
    }

    /// The time is up.
    ///
    /// - Returns: whether the work had not ended.
    mutating func expire() -> Bool {
        guard phase == .open else { return false }
        phase = .missed
        return true
    }

    /// - Returns: whether somebody has to be waited for who passes through.
    mutating func awaitLeaving() -> Bool {
        isAwaited = inside > 0
        return isAwaited
    }
}

/// The gate between work with a deadline and its store.
final class DeadlineGate: @unchecked Sendable {
    // Sound: both variables are touched only under `lock`.
    private let lock = Lock()
    private var machine = DeadlineGateMachine()
    private var waiter: UnsafeContinuation<Void, Never>?

    /// Lets something of the work pass, if it is not too late.
    ///
    /// - Returns: nil if it is too late.
    func pass<Outcome>(_ body: () -> Outcome) -> Outcome? {
        guard lock.withLock({ machine.enter() }) else { return nil }
        defer {
            let waiter = lock.withLock { machine.leave() ? self.waiter.take() : nil }
            waiter?.resume()
        }
        return body()
    }

    /// The work has ended.
    ///
    /// - Returns: whether it was in time.
    func end() -> Bool { lock.withLock { machine.end() } }

    /// The time is up. When this returns nothing of the work passes any more, and what was passing has passed.
    ///
    /// - Returns: whether the work had not ended.
    func expire() async -> Bool {
        guard lock.withLock({ machine.expire() }) else { return false }
        await withUnsafeContinuation { continuation in
            let mustWait = lock.withLock {
                guard machine.awaitLeaving() else { return false }
                waiter = continuation
                return true
            }
            if !mustWait { continuation.resume() }
        }
        return true
    }
}
