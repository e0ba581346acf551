import Synchronization

/// A phase of a store's life cycle.
public enum StorePhase: Sendable, CustomStringConvertible {
    /// The first state is being loaded. Sent and dispatched actions wait.
    case loading
    /// The store reduces actions.
    case ready
    /// The first state could not be loaded, for this reason. The store accepts no actions, and can only be shut down.
    case failed(any Error)
    /// The store accepts no more actions from outside. It reduces those that it had accepted, and those that its
    /// effects send.
    case shuttingDown
    /// The store has ended.
    case ended

    /// Whether the store reduces actions.
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

/// The phase in a byte, so that it can be read without waiting for the turn. Later phases are greater, except that a
/// store that has loaded its state is ready.
@usableFromInline
enum PhaseCode: UInt8, AtomicRepresentable, Sendable {
    case ready, loading, failed, shuttingDown, ended
}

extension AtomicValue where Value == PhaseCode {
    /// Advances to a later phase, unless a later one has already been reached.
    ///
    /// - Returns: Whether the phase has changed.
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

/// What happens to running effects when a store is shut down.
public enum ShutdownDrain: Sendable, Equatable {
    /// Waits until the effects have ended. The actions that they send are reduced, and the effects of those run, too.
    /// If the first state is still being loaded and actions wait for it, the store waits for the state and reduces
    /// them. Effects with ``Effect/cancelOnShutdown()`` are cancelled.
    case finishEffects
    /// Cancels the effects, drops the actions that they still send, and waits until they have ended. If the first state
    /// is still being loaded, loading is cancelled, too, and waiting actions are refused, unless loading succeeds
    /// nevertheless.
    case cancelEffects
}

/// The result of a shutdown. A shutdown without a limit waits for everything except a calling effect and those that
/// wait for it.
public struct ShutdownReport: Sendable, CustomStringConvertible {
    /// The effects that still ran at the deadline, although they were cancelled; the longest-running first.
    /// ``Store/errors`` has also published each of them, as ``EffectStillRunning``: only once, even if several
    /// shutdowns find it running. Actions that they still send are dropped.
    public let unfinishedEffects: [UnfinishedEffect]
    /// Whether the first state was still being loaded at the deadline, although loading was cancelled. The store has
    /// ended without its state: waiting actions were refused, and the loaded state is dropped. A child of a store that
    /// loads its first state does not abandon loading, and ends after it.
    public let isLoading: Bool
    /// The duration of the shutdown, by the clock that it was given.
    public let duration: Duration

    /// Whether nothing is still running.
    public var isClean: Bool { unfinishedEffects.isEmpty && !isLoading }

    /// A description with one line for everything that is still running.
    public var description: String {
        var lines = unfinishedEffects.map { "\($0)" }
        if isLoading { lines.insert("The first state is still being loaded.", at: 0) }
        if lines.isEmpty { lines = ["Nothing is left running."] }
        return lines.joined(separator: "\n")
    }
}

/// An effect that was cancelled and has not ended.
public struct UnfinishedEffect: Sendable, CustomStringConvertible {
    /// The identity of the effect, or of the group that it is part of, if there is one.
    public let id: EffectID?
    /// The location in the code at which the effect is written.
    public let source: CodeLocation
    /// The time since the effect was requested, by the system's continuous clock. This includes the time that it waited
    /// before its work started: in a queue, or because it is debounced or throttled.
    public let runningTime: Duration
    /// The action that started the effect. If the effect is tracked as feedback, by
    /// ``Store/dispatch(_:acceptanceTimeout:tracksFeedback:clock:isolation:)``, this is the action that was dispatched,
    /// and not the action that started it; see ``StoreFailure/action``.
    public let action: (any Sendable)?

    /// A description of the effect and its running time.
    public var description: String {
        "\(StoreFailure.Origin.effect(id: id, at: source)) has been running for \(runningTime.secondsText)."
    }
}

/// An error that ``Store/errors`` publishes for an effect that did not end within the time limit of a shutdown.
public struct EffectStillRunning: Error, Sendable, Equatable, CustomStringConvertible {
    /// The time since the effect was requested; see ``UnfinishedEffect/runningTime``.
    public let runningTime: Duration

    /// A description of the error.
    public var description: String {
        "The shutdown cancelled the effect, which had not ended at the deadline. It ran for \(runningTime.secondsText)."
    }
}
