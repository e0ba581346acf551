/// Runs an operation with a time limit.
///
/// ```swift
/// let user = try await withTimeout(.seconds(5)) { try await users.load(id) }
/// ```
///
/// When the time is over, the operation is cancelled and its result is discarded. The operation runs in a child task,
/// so this function returns only after it has ended: an operation that ignores cancellation delays the return.
///
/// - Parameters:
///   - duration: The time limit.
///   - tolerance: The maximum additional time; nil for the default of the clock.
///   - clock: The clock that measures the time; a test can pass its own.
///   - isolation: The actor on which this runs; by default the caller's.
///   - operation: The operation. It is cancelled with the calling task.
/// - Returns: The result of the operation.
/// - Throws: ``TimedOut`` if the operation has not ended in time; otherwise the error of the operation, or of a clock
///   that fails.
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

extension Effect {
    /// Returns this effect with a time limit for each of its operations, measured from the start of the operation.
    ///
    /// ```swift
    /// return .task { .loaded(try await users.load(id)) }
    ///     .timeout(after: .seconds(5)) { .loadingTimedOut }
    /// ```
    ///
    /// At the deadline the operation is cancelled, and the store receives nothing more from it, even if it ignores
    /// cancellation: actions that it has sent before are reduced before the action of `onTimeout`; actions that it
    /// sends afterwards are dropped and counted in ``StoreStatistics/lateActions``, including a dismissal of its child.
    /// Its errors are ignored, too. An operation that ignores cancellation continues, and the effect ends only when it
    /// does: a shutdown, ``StoreTask/finish(isolation:)`` and the next step of a concatenation wait for it, so no work
    /// is left running untracked.
    ///
    /// Each operation has its own deadline. For a common deadline of several steps, put them into one
    /// ``run(id:policy:priority:fileID:line:_:catch:)``. Applied before ``retry(_:clock:random:if:)`` the timeout
    /// limits each attempt; applied after it, all attempts together.
    ///
    /// - Parameters:
    ///   - duration: The time limit of each operation.
    ///   - tolerance: The maximum additional time; nil for the default of the clock.
    ///   - clock: The clock that measures the time; a test can pass its own.
    ///   - onTimeout: A closure that returns the action to send at the deadline, or nil to send none. Without it, the
    ///     operation fails with ``TimedOut`` when it has ended.
    /// - Returns: The effect with the time limit.
    /// - Complexity: O(*n*), where *n* is the number of composed effects.
    public func timeout(
        after duration: Duration,
        tolerance: Duration? = nil,
        clock: any Clock<Duration> = ContinuousClock(),
        onTimeout: (@Sendable () -> Action?)? = nil
    ) -> Effect {
        let deadline = Deadline(duration: duration, tolerance: tolerance, clock: clock)
        return mapWork { work in
            let body = work.body
            work.body = { send in
                let gate = DeadlineGate()
                let effect = CurrentEffect.effect
                let gatedSend = send.gated(by: gate, of: effect)
                let gatedBody: @Sendable () async throws -> Void = {
                    // The body runs in its own task, and starts later.
                    try CurrentEffect.checkCancellation()
                    try await PresentationContext.gated(by: gate, of: effect) { try await body(gatedSend) }
                }
                var isInTime = false
                // A delay can complete after the deadline; it must then not start the delayed work.
                defer { if !isInTime { effect?.noteDelay(isOver: false) } }
                let result: Void? = try await deadline.run(gatedBody, gate: gate) {
                    // The effect may have been cancelled at this moment, before its task is.
                    if let onTimeout, !CurrentEffect.isCancelled, let action = onTimeout() { send(action) }
                }
                isInTime = result != nil
                if !isInTime && onTimeout == nil { throw TimedOut(after: duration) }
            }
        }
    }
}

extension Send {
    /// Returns a function that sends as long as the gate is open. Later actions are dropped and counted.
    func gated(by gate: DeadlineGate, of effect: (any RunningEffect)?) -> Send {
        Send(dismissal: dismissal.map { gate.gated($0, of: effect) }) { action, manner in
            if let outcome = gate.pass({ pass(action, manner) }) { return outcome }
            // After the effect has ended, the store counts by itself.
            guard let effect, effect.isRunning else { return pass(action, manner) }
            return effect.dropStaleAction()
        }
    }
}

extension DeadlineGate {
    /// Returns a dismissal that works as long as the gate is open. Later dismissals are dropped and counted.
    func gated(
        _ dismissal: @escaping @Sendable () -> SendOutcome,
        of effect: (any RunningEffect)?
    ) -> @Sendable () -> SendOutcome {
        { self.pass(dismissal) ?? effect?.dropStaleAction() ?? .dropped }
    }
}

/// An error that reports that work did not end before its deadline.
public struct TimedOut: Error, Sendable, Hashable, CustomStringConvertible {
    /// The time limit.
    public let duration: Duration

    /// Creates an error.
    package init(after duration: Duration) {
        self.duration = duration
    }

    /// A description of the error.
    public var description: String { "The work did not end within \(duration)." }
}

/// A time limit for an operation.
struct Deadline: Sendable {
    let duration: Duration
    let tolerance: Duration?
    let clock: any Clock<Duration>

    private enum Event<Value: Sendable>: Sendable {
        case ended(Result<Value, any Error>)
        case missed
        /// An event after the outcome was decided.
        case late
    }

    /// Runs an operation until it ends, and cancels it at the deadline. Waits for its end even then: an operation that
    /// ignores cancellation delays the return, but not `whenMissed`. An operation that blocks an executor of its own,
    /// or a busy actor, does not delay `whenMissed` either: only the operation runs where the calling task prefers it.
    ///
    /// - Parameters:
    ///   - operation: The operation.
    ///   - gate: The gate that decides whether the operation or the deadline came first.
    ///   - whenMissed: A closure that is called at the deadline, if the operation has not ended by then.
    /// - Returns: The result of the operation; nil if it has not ended in time, whatever it returns or throws
    ///   afterwards.
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

    /// The executor of the deadline: that of the store that runs the effect, or the global one.
    private static var alarmExecutor: any TaskExecutor {
        CurrentEffect.effect?.storeExecutor ?? globalConcurrentExecutor
    }

    /// Returns the preferred executor of the calling task, unless it is the executor of the deadline, or one of a
    /// simulation.
    private static func executorOfWork(apartFrom alarmExecutor: any TaskExecutor) -> (any TaskExecutor)? {
        guard #available(macOS 26.4, iOS 26.4, tvOS 26.4, watchOS 26.4, visionOS 26.4, *) else { return nil }
        let executor = withUnsafeCurrentTask { $0?.unownedTaskExecutor?.asTaskExecutor() }
        return executor === alarmExecutor || executor is any DeterministicExecutor ? nil : executor
    }

    /// Runs an operation and its deadline, which is on the preferred executor of the calling task.
    ///
    /// - Parameter executor: The executor of the operation; nil for that of the calling task.
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
            // If nil is passed, release builds of Swift 6.3 start a child task on the global executor instead of that
            // of its parent.
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
                    // If the clock fails, the operation must not continue without a deadline.
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

/// Decides between an operation and its deadline: exactly one of them comes first, and after the deadline nothing of
/// the operation passes. A plain value.
struct DeadlineGateMachine {
    private enum Phase { case open, met, missed }
    private var phase = Phase.open
    /// The number of sends that are passing the gate.
    private var inside = 0
    private var isAwaited = false

    /// Enters the gate, if it is open. A caller that receives true must call ``leave()``.
    mutating func enter() -> Bool {
        guard phase != .missed else { return false }
        inside += 1
        return true
    }

    /// - Returns: Whether the waiting deadline has to be resumed.
    mutating func leave() -> Bool {
        inside -= 1
        guard isAwaited, inside == 0 else { return false }
        isAwaited = false
        return true
    }

    /// Records that the operation has ended.
    ///
    /// - Returns: Whether it ended in time.
    mutating func end() -> Bool {
        guard phase == .open else { return false }
        phase = .met
        return true
    }

    /// Records that the time is over.
    ///
    /// - Returns: Whether the operation had not ended.
    mutating func expire() -> Bool {
        guard phase == .open else { return false }
        phase = .missed
        return true
    }

    /// - Returns: Whether the deadline has to wait for sends that are passing the gate.
    mutating func awaitLeaving() -> Bool {
        isAwaited = inside > 0
        return isAwaited
    }
}

/// The gate between an operation with a deadline and its store.
final class DeadlineGate: @unchecked Sendable {
    // Sound: all variables are accessed only under `lock`.
    private let lock = Lock()
    private var machine = DeadlineGateMachine()
    private var waiter: UnsafeContinuation<Void, Never>?

    /// Runs `body` if the gate is still open.
    ///
    /// - Returns: The result of `body`; nil after the deadline.
    func pass<Outcome>(_ body: () -> Outcome) -> Outcome? {
        guard lock.withLock({ machine.enter() }) else { return nil }
        defer {
            let waiter = lock.withLock { machine.leave() ? self.waiter.take() : nil }
            waiter?.resume()
        }
        return body()
    }

    /// Records that the operation has ended.
    ///
    /// - Returns: Whether it ended in time.
    func end() -> Bool { lock.withLock { machine.end() } }

    /// Records that the time is over. After this returns, nothing of the operation passes any more, and sends that were
    /// passing have completed.
    ///
    /// - Returns: Whether the operation had not ended.
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
