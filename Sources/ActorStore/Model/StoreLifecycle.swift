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

/// What a store does with its running effects when it is shut down.
public enum ShutdownDrain: Sendable, Equatable {
    /// It waits until they have ended, reduces what they send meanwhile, and runs the effects that come of that. While
    /// the first state is being loaded and actions wait for it, the store waits for the state as well, and reduces
    /// them. It cancels those that say so, by ``Effect/cancelOnShutdown()``.
    case finishEffects
    /// It cancels them, drops what they still send, and waits until they have ended. If the first state is still being
    /// loaded, that is cancelled, too, and what waits for it is refused, unless the loading ends well nevertheless.
    case cancelEffects
}

/// What a shutdown came to. One without a limit waits for everything, so that it leaves nothing running.
public struct ShutdownReport: Sendable, CustomStringConvertible {
    /// The effects that still ran at the deadline, although they had been cancelled, the longest running first. They
    /// have also been reported to ``Store/errors``, as ``EffectStillRunning``: each of them once, also if several
    /// shutdowns find it running. What they still send is dropped.
    public let unfinishedEffects: [UnfinishedEffect]
    /// Whether the first state was still being loaded at the deadline, although that had been cancelled. The store has
    /// ended without it: what waited for it was refused, and what it still loads is dropped. A child of a store that
    /// loads its first state does not give the loading up, and ends when that has ended.
    public let isLoading: Bool
    /// How long the shutdown took, by the clock that it was given.
    public let duration: Duration

    /// Whether nothing is left running.
    public var isClean: Bool { unfinishedEffects.isEmpty && !isLoading }

    /// Says in a line for each what is left running.
    public var description: String {
        var lines = unfinishedEffects.map { "\($0)" }
        if isLoading { lines.insert("The first state is still being loaded.", at: 0) }
        if lines.isEmpty { lines = ["Nothing is left running."] }
        return lines.joined(separator: "\n")
    }
}

/// An effect that did not end although it was cancelled.
public struct UnfinishedEffect: Sendable, CustomStringConvertible {
    /// Its identity, or that of what it is a part of, if there is one.
    public let id: EffectID?
    /// Where it is written.
    public let source: CodeLocation
    /// How long ago it was asked to begin, by the system's continuous clock. This includes the time that it waited
    /// before its work began: in a queue, or because it is debounced or throttled.
    public let runningTime: Duration
    /// The action that started it. If it is tracked as feedback, by
    /// ``Store/dispatch(_:acceptanceTimeout:tracksFeedback:clock:isolation:)``, this is the action that was dispatched, and not
    /// the action that started it; see ``StoreFailure/action``.
    public let action: (any Sendable)?

    /// Names the effect, and says for how long it has been running.
    public var description: String {
        "\(StoreFailure.Origin.effect(id: id, at: source)) has been running for \(runningTime.secondsText)."
    }
}

/// The error by which ``Store/errors`` hears of an effect that did not end within the time of a shutdown.
public struct EffectStillRunning: Error, Sendable, Equatable, CustomStringConvertible {
    /// How long ago it had been asked to begin; see ``UnfinishedEffect/runningTime``.
    public let runningTime: Duration

    /// Says what is wrong.
    public var description: String {
        "It was cancelled by the store's shutdown, and had not ended at the deadline, after running for \(runningTime.secondsText)."
    }
}
