import ActorStore

/// How far a piece of asynchronous work has come, as a part of a state: the reducer says when it is to run, and
/// `Store.effect(on:owner:clock:fileID:line:_:)` sees to it that it does.
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
/// It is a plain value: nothing runs by itself, nothing is random, and it can be encoded, kept, and decoded by another
/// process, which then goes on with what was running. A transition that makes no sense where the state is, such as to
/// succeed without having run, changes nothing and returns false.
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
    /// How far the work has come.
    public enum Status: Hashable, Sendable {
        /// Nothing is to be done.
        case idle
        /// This attempt is under way, or waits for its delay to be over.
        case running(EffectAttempt)
        /// It is done.
        case succeeded
        /// It has failed, and is not tried again.
        case failed(Failure)
        /// It was given up.
        case cancelled
    }

    /// Tells the work of this state from that of another one that takes its place.
    public let id: UInt64
    /// How often it has been run, retries not counted. Together with ``id`` it tells one run from another.
    public private(set) var runs: UInt64 = 0
    /// How far the work has come.
    public private(set) var status = Status.idle

    /// Creates a state of which nothing is to be done yet.
    ///
    /// - Parameter id: Tells the work of this state from that of another one that is put in its place while it runs.
    ///   Take it from what the work is about, or from a counter of the state or of a dependency. If the state is never
    ///   replaced by a new one, it does not matter; ``restart(maxAttempts:delay:backoff:)`` needs none.
    public init(id: UInt64 = 0) {
        self.id = id
    }
}

extension EffectState {
    /// A state of which nothing is to be done yet; see ``init(id:)``.
    public static func idle(id: UInt64 = 0) -> EffectState { EffectState(id: id) }

    /// A state that runs; see ``run(maxAttempts:delay:backoff:)`` and ``init(id:)``.
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
    /// Has the work run, unless it runs already.
    ///
    /// - Parameters:
    ///   - maxAttempts: How often it is tried, the first time included.
    ///   - delay: How long it waits before the first attempt.
    ///   - backoff: How long it waits before the others.
    /// - Returns: whether it runs by that; false if it did before, or if there are to be no attempts.
    @discardableResult
    public mutating func run(
        maxAttempts: Int = 1,
        delay: Duration = .zero,
        backoff: EffectBackoff = .doubling
    ) -> Bool {
        isRunning ? false : begin(maxAttempts, delay, backoff)
    }

    /// Has the work run anew; a run that is under way is cancelled by that.
    ///
    /// - Returns: whether it runs by that; false if there are to be no attempts.
    @discardableResult
    public mutating func restart(
        maxAttempts: Int = 1,
        delay: Duration = .zero,
        backoff: EffectBackoff = .doubling
    ) -> Bool {
        begin(maxAttempts, delay, backoff)
    }

    /// The attempt has failed: has the work tried again if attempts are left, after the delay that the backoff says,
    /// and otherwise lets it fail.
    ///
    /// - Returns: whether it was running; what became of it, ``isRunning`` tells.
    @discardableResult
    public mutating func retryOrFail(with failure: Failure) -> Bool {
        guard let attempt else { return false }
        status = attempt.next.map { .running($0) } ?? .failed(failure)
        return true
    }

    /// The work is done.
    ///
    /// - Returns: whether it was running.
    @discardableResult
    public mutating func succeed() -> Bool { end(as: .succeeded) }

    /// The work has failed, and is not tried again.
    ///
    /// - Returns: whether it was running.
    @discardableResult
    public mutating func fail(with failure: Failure) -> Bool { end(as: .failed(failure)) }

    /// The work is given up.
    ///
    /// - Returns: whether it was running.
    @discardableResult
    public mutating func cancel() -> Bool { end(as: .cancelled) }

    /// Nothing is to be done, as at first; a run that is under way is cancelled by that.
    ///
    /// - Returns: whether anything was to be done, or had been.
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

// Here and not in a file of its own, because the compiler writes it only where the type is declared.
extension EffectState: Codable where Failure: Codable {}
extension EffectState.Status: Codable where Failure: Codable {}
