/// The time of an airport in a replay: it is constant until the replay advances it.
///
/// Effects wait on it, so that ten minutes are ten minutes of the board, however fast the replay is, and every replay
/// is the same: the clock does not advance before all woken sleepers have finished, or wait again.
final class BoardClock: Clock {
    /// A time since 1 January 1970.
    struct Instant: InstantProtocol {
        let offset: Duration

        func advanced(by duration: Duration) -> Instant { Instant(offset: offset + duration) }
        func duration(to other: Instant) -> Duration { other.offset - offset }
        static func < (left: Instant, right: Instant) -> Bool { left.offset < right.offset }
    }

    private struct Sleeper {
        let number: Int
        let deadline: Instant
        let continuation: CheckedContinuation<Void, any Error>
    }

    private struct State {
        var now = Instant(offset: .zero)
        var sleepers: [Sleeper] = []
        var lastNumber = 0
        /// Sleepers that were cancelled before they slept.
        var cancelled: Set<Int> = []
    }

    private let state = LockedValue(State())
    private let executor: EffectExecutor

    /// - Parameter executor: Runs the sleepers of this clock.
    init(executor: EffectExecutor) {
        self.executor = executor
    }

    var now: Instant { state.withLock { $0.now } }
    var minimumResolution: Duration { .zero }

    /// The number of sleepers.
    var sleepers: Int { state.withLock { $0.sleepers.count } }
}

// MARK: Sleeping

extension BoardClock {
    func sleep(until deadline: Instant, tolerance: Duration?) async throws {
        let number = state.withLock { state in
            state.lastNumber += 1
            return state.lastNumber
        }
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                begin(Sleeper(number: number, deadline: deadline, continuation: continuation))
            }
        } onCancel: {
            cancel(number)
        }
    }

    private func begin(_ sleeper: Sleeper) {
        let outcome: Result<Void, any Error>? = state.withLock { state in
            if state.cancelled.remove(sleeper.number) != nil { return .failure(CancellationError()) }
            if sleeper.deadline <= state.now { return .success(()) }
            state.sleepers.append(sleeper)
            return nil
        }
        if let outcome { sleeper.continuation.resume(with: outcome) }
    }

    private func cancel(_ number: Int) {
        let sleeper: Sleeper? = state.withLock { state in
            guard let index = state.sleepers.firstIndex(where: { $0.number == number }) else {
                state.cancelled.insert(number)
                return nil
            }
            return state.sleepers.remove(at: index)
        }
        sleeper?.continuation.resume(throwing: CancellationError())
    }
}

// MARK: For the replay

extension BoardClock {
    /// Advances to a time, and wakes sleepers of earlier times on the way.
    func advance(to time: BoardTime) async {
        let instant = Instant(offset: .minutes(time.minutes))
        // A woken sleeper may wait again, until a time on the way.
        repeat { await executor.settle() } while wakeFirst(until: instant)
        state.withLock { $0.now = max($0.now, instant) }
    }

    /// Advances until there are no sleepers.
    func finish() async {
        repeat { await executor.settle() } while wakeFirst(until: nil)
    }

    /// Advances to the earliest deadline, and wakes its first sleeper.
    ///
    /// - Returns: Whether there was a sleeper.
    private func wakeFirst(until limit: Instant?) -> Bool {
        let first: Sleeper? = state.withLock { state in
            guard
                let index = state.sleepers.indices.min(by: { left, right in
                    let (left, right) = (state.sleepers[left], state.sleepers[right])
                    return (left.deadline, left.number) < (right.deadline, right.number)
                })
            else { return nil }
            let deadline = state.sleepers[index].deadline
            if let limit, deadline > limit { return nil }
            state.now = max(state.now, deadline)
            return state.sleepers.remove(at: index)
        }
        first?.continuation.resume()
        return first != nil
    }
}
