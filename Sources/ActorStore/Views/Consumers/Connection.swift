/// Feeds a consumer from a store, until the consumer or the store is gone, or it is cancelled.
///
/// It holds the consumer weakly, does not keep the store alive, and need not be kept itself: ``cancel()`` ends it, or
/// the end of a bag (``store(in:)``), but not its release. When the consumer has gone it ends with the next change, or
/// when a ``StoreGroup`` looks whether the store is idle.
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
        case waiting(begin: @Sendable () -> ObservingTask)
        case starting
        case running(ObservingTask)
        case ended
    }

    private let phase: Locked<Phase>

    init(start: Start, begin: @escaping @Sendable () -> ObservingTask) {
        phase = Locked(.waiting(begin: begin))
        if start == .immediately { self.start() }
    }

    /// Begins, if it has not begun and was not cancelled: the consumer is fed from the current state on.
    public func start() {
        let before = phase.update { phase in
            if case .waiting = phase { .starting } else { phase }
        }
        guard case .waiting(let begin) = before else { return }
        let task = begin()
        let meanwhile = phase.update { phase in
            if case .starting = phase { .running(task) } else { phase }
        }
        if case .ended = meanwhile { task.cancelObservation() }
    }

    /// Ends it: nothing that the store does from now on reaches the consumer. What is on its way may still do so.
    public func cancel() {
        if case .running(let task) = phase.update({ _ in .ended }) { task.cancelObservation() }
    }

    /// Puts the connection into a bag, with which it ends.
    public func store(in bag: inout ObservationBag) {
        bag.insert { self.cancel() }
    }
}

/// A value that is replaced under a lock, and released outside of it.
private final class Locked<Value: Sendable>: @unchecked Sendable {
    // Sound: `value` is touched only under `lock`.
    private let lock = Lock()
    private var value: Value

    init(_ value: Value) {
        self.value = value
    }

    /// - Returns: the value before.
    func update(_ transition: (Value) -> Value) -> Value {
        lock.withLock {
            let before = value
            value = transition(before)
            return before
        }
    }
}
