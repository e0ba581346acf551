import ActorStore

/// The status of asynchronous work as part of a state: the reducer decides when the work runs, and
/// `Store.effect(on:owner:clock:fileID:line:_:)` runs it.
///
/// ```swift
/// struct State: Equatable, Sendable {
///     var order = Order()
///     var upload = EffectState<EffectFailure>()
/// }
///
/// // In the reducer:
/// case .uploadTapped: state.upload.run(maxAttempts: 3)
/// case .uploaded: state.upload.succeed()
/// case .uploadFailed(let failure): state.upload.retryOrFail(with: failure)
/// case .cancelTapped: state.upload.cancel()
///
/// // Beside the store:
/// store.effect(on: \.upload) { state in
///     .run { context in
///         try await api.upload(state.order)
///         context.send(.uploaded)
///     } catch: { error in
///         .uploadFailed(EffectFailure(error))
///     }
/// }
/// ```
///
/// It is a plain value: it starts nothing by itself, is deterministic, and can be encoded and decoded by another
/// process, which then resumes what was running. A transition that is not valid in the current status, such as
/// ``succeed()`` of a state that was not running, changes nothing and returns false.
///
/// | transition | from | to |
/// |---|---|---|
/// | ``run(maxAttempts:delay:backoff:)`` | all but running | running |
/// | ``restart(maxAttempts:delay:backoff:)`` | any | running, as another run |
/// | ``retryOrFail(with:)`` | running | running, the next attempt; or failed, if none is left |
/// | ``succeed()`` | running | succeeded |
/// | ``fail(with:)`` | running | failed |
/// | ``cancel()`` | running | cancelled |
/// | ``reset()`` | all but idle | idle |
public struct EffectState<Failure: Error & Hashable>: Hashable, Sendable {
    /// The status of the work.
    public enum Status: Hashable, Sendable {
        /// No work is requested.
        case idle
        /// This attempt is running, or waits for its delay.
        case running(EffectAttempt)
        /// The work has succeeded.
        case succeeded
        /// The work has failed, and is not tried again.
        case failed(Failure)
        /// The work was cancelled.
        case cancelled
    }

    /// Distinguishes the work of this state from that of a state that replaces it.
    public let id: UInt64
    /// The number of runs, not counting retries. Together with ``id`` it identifies a run.
    public private(set) var runs: UInt64 = 0
    /// The status of the work.
    public private(set) var status = Status.idle

    /// Creates an idle state.
    ///
    /// - Parameter id: Distinguishes the work of this state from that of a state that replaces it while it runs. Derive
    ///   it from the subject of the work, or from a counter of the state or of a dependency. It does not matter if the
    ///   state is never replaced by a new one; ``restart(maxAttempts:delay:backoff:)`` does not need it.
    public init(id: UInt64 = 0) {
        self.id = id
    }
}

extension EffectState {
    /// Returns an idle state; see ``init(id:)``.
    public static func idle(id: UInt64 = 0) -> EffectState { EffectState(id: id) }

    /// Returns a running state; see ``run(maxAttempts:delay:backoff:)`` and ``init(id:)``.
    public static func running(
        id: UInt64 = 0,
        maxAttempts: Int = 1,
        delay: Duration = .zero,
        backoff: EffectBackoff = .doubling
    ) -> EffectState {
        var state = EffectState(id: id)
        state.run(maxAttempts: maxAttempts, delay: delay, backoff: backoff)
        return state
    }
}

// MARK: Transitions

extension EffectState {
    /// Starts the work, unless it is already running.
    ///
    /// - Parameters:
    ///   - maxAttempts: The maximum number of attempts, including the first.
    ///   - delay: The delay before the first attempt.
    ///   - backoff: The delays before further attempts.
    /// - Returns: True if this started a run; false if the work was already running, or if `maxAttempts` is not
    ///   positive.
    @discardableResult
    public mutating func run(
        maxAttempts: Int = 1,
        delay: Duration = .zero,
        backoff: EffectBackoff = .doubling
    ) -> Bool {
        isRunning ? false : begin(maxAttempts, delay, backoff)
    }

    /// Starts the work anew. A run in progress is cancelled.
    ///
    /// - Parameters:
    ///   - maxAttempts: The maximum number of attempts, including the first.
    ///   - delay: The delay before the first attempt.
    ///   - backoff: The delays before further attempts.
    /// - Returns: True if this started a run; false if `maxAttempts` is not positive.
    @discardableResult
    public mutating func restart(
        maxAttempts: Int = 1,
        delay: Duration = .zero,
        backoff: EffectBackoff = .doubling
    ) -> Bool {
        begin(maxAttempts, delay, backoff)
    }

    /// Ends the current attempt with a failure. If attempts are left, the next one runs after the delay of the backoff;
    /// else the work fails.
    ///
    /// - Returns: True if the work was running. ``isRunning`` then says whether it is tried again.
    @discardableResult
    public mutating func retryOrFail(with failure: Failure) -> Bool {
        guard let attempt else { return false }
        status = attempt.next.map { .running($0) } ?? .failed(failure)
        return true
    }

    /// Ends the work with success.
    ///
    /// - Returns: True if the work was running.
    @discardableResult
    public mutating func succeed() -> Bool { end(as: .succeeded) }

    /// Ends the work with a failure, without another attempt.
    ///
    /// - Returns: True if the work was running.
    @discardableResult
    public mutating func fail(with failure: Failure) -> Bool { end(as: .failed(failure)) }

    /// Cancels the work.
    ///
    /// - Returns: True if the work was running.
    @discardableResult
    public mutating func cancel() -> Bool { end(as: .cancelled) }

    /// Resets the state to idle. A run in progress is cancelled.
    ///
    /// - Returns: True if the state was not idle.
    @discardableResult
    public mutating func reset() -> Bool {
        guard status != .idle else { return false }
        status = .idle
        return true
    }

    private mutating func begin(_ maxAttempts: Int, _ delay: Duration, _ backoff: EffectBackoff) -> Bool {
        guard maxAttempts > 0 else { return false }
        runs &+= 1
        let attempt = EffectAttempt(
            id: id,
            run: runs,
            number: 0,
            maxAttempts: maxAttempts,
            delay: max(delay, .zero),
            backoff: backoff
        )
        status = .running(attempt)
        return true
    }

    private mutating func end(as status: Status) -> Bool {
        guard isRunning else { return false }
        self.status = status
        return true
    }
}

// Declared in this file, because the compiler synthesises the conformances only where the type is declared.
extension EffectState: Codable where Failure: Codable {}
extension EffectState.Status: Codable where Failure: Codable {}
