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
