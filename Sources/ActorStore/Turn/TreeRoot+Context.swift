extension TreeRoot {
    /// Runs what belongs to a turn without the effect whose task the calling thread may be running: which thread has the turn
    /// is a matter of chance, and nothing that a reducer or an observer starts must be taken for a part of that effect.
    @inlinable
    @inline(__always)
    final func inCleanContext<Result>(_ body: () -> Result) -> Result {
        EffectHandle.isInEffect ? EffectHandle.outsideEffects(body) : body()
    }
}

extension EffectHandle {
    /// Whether the current task is part of an effect.
    @usableFromInline static var isInEffect: Bool { current != nil }

    @usableFromInline
    static func outsideEffects<Result>(_ body: () -> Result) -> Result { $current.withValue(nil, operation: body) }
}
