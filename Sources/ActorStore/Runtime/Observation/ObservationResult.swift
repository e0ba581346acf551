import Synchronization

/// Whether an observer wants to be told more.
public enum ObservationResult: Sendable, Equatable {
    /// It does.
    case `continue`
    /// It has been told enough: the observation ends.
    case stop
}

/// How the closure of an observation ends it.
@usableFromInline
final class ObservationEnd: @unchecked Sendable {
    // Sound: `observation` is touched only under `lock`.
    private let lock = Lock()
    /// Pairs: by `lock`. `end` stores it and then looks for the observation under the lock; `attach` sets the
    /// observation under the lock and then loads it.
    private let isOver = AtomicValue<Bool>(false)
    private weak var observation: Observation?

    @usableFromInline
    init() {}

    /// Whether the closure must not be called any more.
    @usableFromInline var hasEnded: Bool { isOver.loadAcquiring() }

    /// Ends the observation, which may not have been attached yet: the closure can be called before there is a token.
    @usableFromInline
    func end() {
        isOver.storeReleasing(true)
        lock.withLock { observation }?.cancel()
    }

    @usableFromInline
    func attach(_ observation: Observation) -> Observation {
        lock.withLock { self.observation = observation }
        if hasEnded { observation.cancel() }
        return observation
    }
}
