/// A call by which an effect shuts stores down, of one or of a group, and cancels others with that.
final class ShutdownCall: Sendable {
    let caller: EffectHandle
    // Pairs: the store with the loads. Nothing else is decided by it than whom a cancellation reaches that comes at the same
    // time.
    private let hasReturned = AtomicValue<Bool>(false)

    init(by caller: EffectHandle) { self.caller = caller }

    var isUnderWay: Bool { !hasReturned.loadAcquiring() }

    /// Records that the call has returned.
    func end() { hasReturned.storeReleasing(true) }
}

/// Why effects are cancelled.
struct CancellationCause: Sendable {
    /// For no reason that has to do with other effects.
    static let none = CancellationCause(sparing: [], calls: [])

    /// Effects whose tasks go on.
    let spared: [EffectHandle]
    /// What has come to this, directly or by way of other effects.
    let calls: [ShutdownCall]

    init(sparing spared: [EffectHandle], calls: [ShutdownCall]) {
        self.spared = spared
        self.calls = calls
    }
}

/// The cancellation of an effect that waits for the end of a store, and passes it on to the effects of that.
struct PassedOnCancellation: Sendable {
    /// The calls that caused it. It does not reach their callers: an effect is not cancelled by what it has asked for itself.
    let calls: [ShutdownCall]

    /// - Parameters:
    ///   - caller: The effect that waits; nil if a task does that is no part of one.
    ///   - isEarlier: Whether it was cancelled before it began to wait. That is a shutdown of its own, which can cancel those
    ///     whose calls have returned.
    init(of caller: EffectHandle?, isEarlier: Bool) {
        let calls = caller?.andAwaiters.flatMap { ($0 as? EffectJob)?.cancellationCause?.calls ?? [] } ?? []
        self.calls = isEarlier ? calls.filter(\.isUnderWay) : calls
    }
}
