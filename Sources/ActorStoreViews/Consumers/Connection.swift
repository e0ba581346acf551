import ActorStore

/// Feeds a consumer from a store, until the consumer or the store is gone, or it is cancelled.
///
/// It holds the consumer weakly, does not keep the store alive, and need not be kept itself: ``cancel()`` ends it, or
/// the end of a bag (``store(in:)``), but not its release. When the consumer has gone it ends with the next change, or
/// when a `StoreGroup` looks whether the store is idle.
public final class Connection: Sendable {
    /// When a connection begins.
    public enum Start: Sendable, Equatable {
        /// When it is made.
        case immediately
        /// When ``Connection/start()`` is called. Until then nothing is observed; like a ``StoreView`` it keeps no root
        /// alive meanwhile, but a child.
        case manual
    }

    private enum Phase: Sendable {
        case waiting(begin: @Sendable () -> StoreObservation)
        case starting
        case running(StoreObservation)
        case ended
    }

    private let phase: LockedValue<Phase>

    init(start: Start, begin: @escaping @Sendable () -> StoreObservation) {
        phase = LockedValue(.waiting(begin: begin))
        if start == .immediately { self.start() }
    }

    /// Begins, if it has not begun and was not cancelled: the consumer is fed from the current state on.
    public func start() {
        let before = advance { phase in
            if case .waiting = phase { .starting } else { phase }
        }
        guard case .waiting(let begin) = before else { return }
        let observation = begin()
        let meanwhile = advance { phase in
            if case .starting = phase { .running(observation) } else { phase }
        }
        if case .ended = meanwhile { observation.cancel() }
    }

    /// Ends it: nothing that the store does from now on reaches the consumer. What is on its way may still do so.
    public func cancel() {
        if case .running(let observation) = advance({ _ in .ended }) { observation.cancel() }
    }

    /// Puts the connection into a bag, with which it ends.
    public func store(in bag: inout ObservationBag) {
        bag.insert { self.cancel() }
    }

    /// - Returns: The phase before, which is not released under the lock.
    private func advance(_ transition: (Phase) -> Phase) -> Phase {
        phase.withLock { phase in
            let before = phase
            phase = transition(before)
            return before
        }
    }
}
