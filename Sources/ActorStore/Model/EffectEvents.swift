/// An effect whose task is about to be started. A side effect is one as well.
public struct BegunEffect: Sendable {
    /// The name of the store whose effect it is.
    public let store: String
    /// Tells it from the other effects of the tree. Grows by one with each of them.
    public let number: UInt64
    /// Its identity, if it has one.
    public let id: EffectID?
    /// Where it is written.
    public let source: SourceLocation
    /// That of ``AcceptedAction/number`` of the action that asked for it; nil if none did, if it is a later part of a
    /// concatenation, or if the action was one of a batch of a root.
    public let cause: UInt64?
    /// When that was, by the instruments' clock.
    public let time: Duration
    /// Whether its task has to wait first: for an interval, or for its turn in a queue.
    public let isWaiting: Bool
}

/// An effect whose task has come to its end.
public struct EndedEffect: Sendable {
    /// The effect, as it began.
    public let effect: BegunEffect
    /// When that was, by the instruments' clock.
    public let time: Duration
    /// How long it took, from its beginning on, waiting included.
    public var duration: Duration { time - effect.time }
}
