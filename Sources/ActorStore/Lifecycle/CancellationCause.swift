/// Effects that ask for the cancellation of others, and are spared by it.
struct CancellationCause: Sendable {
    /// Nobody in particular.
    static let none = CancellationCause(callers: [])

    /// Those that have asked for it, whose tasks go on.
    let callers: [EffectHandle]
    /// The shutdown by which they cancel the others, as long as it is under way; nil if it is none.
    private let shutdown: Settlement<Bool>?

    init(callers: [EffectHandle], shutdown: Settlement<Bool>? = nil) {
        self.callers = callers
        self.shutdown = shutdown
    }

    var isUnderWay: Bool { shutdown?.isSettled == false }
}

/// The cancellation of an effect that waits for the end of a store, and passes it on to the effects of that.
struct PassedOnCancellation: Sendable {
    /// Why the effect was cancelled.
    private let causes: [CancellationCause]
    /// Whether it was cancelled before it began to wait.
    private let isEarlier: Bool

    /// - Parameter caller: The effect that waits; nil if a task does that is no part of one.
    init(of caller: EffectHandle?, isEarlier: Bool) {
        causes = caller?.andAwaiters.map { ($0 as? EffectJob)?.cancellationCause ?? .none } ?? []
        self.isEarlier = isEarlier
    }

    /// The effects that have asked for it, and that it does not reach: for nobody is to be cancelled by what it has asked for
    /// itself, in whatever ways. But one who is through with it can be, by another shutdown; and that is what it is to begin
    /// to wait for a store when one has been cancelled already.
    var spared: [EffectHandle] { causes.filter { !isEarlier || $0.isUnderWay }.flatMap(\.callers) }
}
