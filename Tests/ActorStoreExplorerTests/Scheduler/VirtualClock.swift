/// A clock whose time passes when nothing else can happen in a run, and occasionally before that.
final class VirtualClock: Clock, @unchecked Sendable {
    // Sound: everything is accessed only by the thread that has the baton of the run.
    struct Instant: InstantProtocol {
        let time: Swift.Duration
        func advanced(by duration: Swift.Duration) -> Instant { Instant(time: time + duration) }
        func duration(to other: Instant) -> Swift.Duration { other.time - time }
        static func < (left: Instant, right: Instant) -> Bool { left.time < right.time }
    }

    private struct Sleeper {
        let number: Int
        let deadline: Instant
        let continuation: UnsafeContinuation<Void, any Error>
    }

    private(set) var now = Instant(time: .zero)
    let minimumResolution: Swift.Duration = .nanoseconds(1)
    private var sleepers: [Sleeper] = []
    private var lastNumber = 0

    /// Whether any sleeper wakes by itself.
    var hasSleepers: Bool { sleepers.contains { $0.deadline < Self.never } }

    /// A time that never comes: a sleep until then ends when it is cancelled.
    static let never = Instant(time: .seconds(1_000_000_000))

    /// Advances the time until the next sleeper wakes.
    func advance() {
        guard let next = sleepers.min(by: { ($0.deadline, $0.number) < ($1.deadline, $1.number) }) else { return }
        now = max(now, next.deadline)
        sleepers.removeAll { $0.number == next.number }
        next.continuation.resume()
    }

    func sleep(until deadline: Instant, tolerance: Swift.Duration?) async throws {
        lastNumber += 1
        let number = lastNumber
        try await withTaskCancellationHandler {
            try await withUnsafeThrowingContinuation { (continuation: UnsafeContinuation<Void, any Error>) in
                if Task.isCancelled { return continuation.resume(throwing: CancellationError()) }
                if deadline <= now { return continuation.resume() }
                sleepers.append(Sleeper(number: number, deadline: deadline, continuation: continuation))
            }
        } onCancel: {
            guard let index = sleepers.firstIndex(where: { $0.number == number }) else { return }
            sleepers.remove(at: index).continuation.resume(throwing: CancellationError())
        }
    }
}
