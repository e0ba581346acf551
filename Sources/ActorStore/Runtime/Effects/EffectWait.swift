/// What a piece of work waits for before it begins.
enum EffectWait: Sendable {
    case time(@Sendable () async throws -> Void)
    case gate(AsyncGate)

    /// Waits for a time that counts from now on, and not from when the task comes to it.
    static func time(_ duration: Duration, _ clock: any Clock<Duration>) -> EffectWait {
        func wait<C: Clock<Duration>>(on clock: C) -> EffectWait {
            let end = clock.now.advanced(by: duration.boundedWait)
            return .time { try await clock.sleep(until: end, tolerance: nil) }
        }
        return wait(on: clock)
    }

    /// Returns when it is over, or the task is cancelled.
    func callAsFunction(isolation: isolated (any Actor)? = #isolation) async {
        switch self {
        case .time(let sleep): try? await sleep()
        case .gate(let gate): await gate.wait()
        }
    }
}

/// Lets the task of an effect begin that has to wait its turn in a queue of effects.
final class AsyncGate: @unchecked Sendable {
    // Sound: both variables are touched only under `lock`.
    private let lock = Lock()
    private var isOpen = false
    private var waiter: UnsafeContinuation<Void, Never>?

    /// Returns when it is open, or the task is cancelled.
    func wait(isolation: isolated (any Actor)? = #isolation) async {
        await withTaskCancellationHandler {
            await withUnsafeContinuation { continuation in
                let isOpen = lock.withLock {
                    if !self.isOpen { waiter = continuation }
                    return self.isOpen
                }
                if isOpen { continuation.resume() }
            }
        } onCancel: {
            open()
        }
    }

    func open() {
        let waiter = lock.withLock {
            isOpen = true
            defer { self.waiter = nil }
            return self.waiter
        }
        waiter?.resume()
    }
}
