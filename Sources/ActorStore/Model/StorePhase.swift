import Synchronization

/// How far a store has come in its life.
public enum StorePhase: Sendable, CustomStringConvertible {
    /// Its first state is being loaded. What is sent and dispatched waits.
    case loading
    /// It reduces what is sent and dispatched.
    case ready
    /// Its first state could not be loaded, for this reason. It takes no actions, and can only be shut down.
    case failed(any Error)
    /// It takes no more actions from outside, and reduces what it had accepted and what its effects send.
    case shuttingDown
    /// It is over.
    case ended

    /// Whether it reduces what is sent and dispatched.
    public var isReady: Bool { if case .ready = self { true } else { false } }

    /// The name of the phase, with the reason of a failure.
    public var description: String {
        switch self {
        case .loading: "loading"
        case .ready: "ready"
        case .failed(let error): "failed: \(ValueDescription.text(of: error))"
        case .shuttingDown: "shutting down"
        case .ended: "ended"
        }
    }
}

/// The phase in a byte, so that anybody can look without waiting for the turn. Later ones are greater, except that a
/// store that has loaded its state is ready.
@usableFromInline
enum PhaseCode: UInt8, AtomicRepresentable, Sendable {
    case ready, loading, failed, shuttingDown, ended
}

extension AtomicValue where Value == PhaseCode {
    /// Goes on to a later phase, unless somebody has gone further.
    ///
    /// - Returns: whether it did.
    @discardableResult
    func advance(to new: PhaseCode) -> Bool {
        // Pairs with itself, and with the loads of the phase; see `TreeRoot/phase`.
        var seen = loadAcquiring()
        while seen.rawValue < new.rawValue {
            let (exchanged, original) = compareExchangeAcquiringAndReleasing(expected: seen, desired: new)
            if exchanged { return true }
            seen = original
        }
        return false
    }
}
