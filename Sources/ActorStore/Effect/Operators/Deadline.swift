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

extension Effect {
    /// The same effect, each piece of work of which has only so much time from when it begins.
    ///
    /// ```swift
    /// return .task { .loaded(try await users.load(id)) }
    ///     .timeout(after: .seconds(5)) { .loadingTimedOut }
    /// ```
    ///
    /// At the deadline the work is cancelled, and nothing more of it comes to the store, whether it takes notice of
    /// that or not: what it has sent before is reduced before the action of `onTimeout`, and what it sends afterwards
    /// is dropped and counted in ``StoreStatistics/lateActions``, also what would dismiss its child. Its errors no
    /// longer count either. Work that takes no notice goes on nevertheless, and the effect has ended only with it: a
    /// shutdown, ``StoreTask/finish(isolation:)`` and what comes next in a concatenation wait for that, so that no work
    /// is ever left running unseen.
    ///
    /// Each piece of work has a deadline of its own. For a deadline of several steps together, take them in one
    /// ``run(id:policy:priority:fileID:line:_:catch:)``. Applied before ``retry(_:clock:random:if:)`` it limits
    /// each attempt, and applied after it all of them together.
    ///
    /// - Parameters:
    ///   - duration: How long each piece of work has.
    ///   - tolerance: By how much it may have longer; nil leaves that to the clock.
    ///   - clock: Measures the time; a test gives one of its own.
    ///   - onTimeout: Makes the action that is sent at the deadline, or nil to send none. Without it the work fails
    ///     with ``TimedOut`` when it has ended.
    /// - Complexity: O(*n*), where *n* is the number of effects of which this one is composed.
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
                    // It is a task of its own, which comes to this later.
                    try CurrentEffect.checkCancellation()
                    try await PresentationContext.gated(by: gate, of: effect) { try await body(gatedSend) }
                }
                var isInTime = false
                // A delay can come to its end after its time, and then nothing begins by that.
                defer { if !isInTime { effect?.noteDelay(isOver: false) } }
                let result: Void? = try await deadline.run(gatedBody, gate: gate) {
                    // It can have been cancelled at this moment, of which its task learns later.
                    if let onTimeout, !CurrentEffect.isCancelled, let action = onTimeout() { send(action) }
                }
                isInTime = result != nil
                if !isInTime && onTimeout == nil { throw TimedOut(after: duration) }
            }
        }
    }
}

extension Send {
    /// The same, as long as the gate lets something pass. What it does not is dropped and counted.
    func gated(by gate: DeadlineGate, of effect: (any RunningEffect)?) -> Send {
        Send(dismissal: dismissal.map { gate.gated($0, of: effect) }) { action, manner in
            if let outcome = gate.pass({ pass(action, manner) }) { return outcome }
            // When the effect has ended the store counts by itself.
            guard let effect, effect.isRunning else { return pass(action, manner) }
            return effect.dropStaleAction()
        }
    }
}

extension DeadlineGate {
    /// The same dismissal, as long as the gate lets something pass. What it does not is dropped and counted.
    func gated(
        _ dismissal: @escaping @Sendable () -> SendOutcome,
        of effect: (any RunningEffect)?
    ) -> @Sendable () -> SendOutcome {
        { self.pass(dismissal) ?? effect?.dropStaleAction() ?? .dropped }
    }
}

/// Work did not end before its deadline.
public struct TimedOut: Error, Sendable, Hashable, CustomStringConvertible {
    /// How long it had.
    public let duration: Duration

    /// Creates the error.
    package init(after duration: Duration) {
        self.duration = duration
    }

    /// Says what happened.
    public var description: String { "The work did not end within \(duration)." }
}

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
