import Synchronization

extension TreeRoot {
    /// Runs what belongs to a turn without the effect whose task the calling thread may be running: which thread has the turn
    /// is a matter of chance, and nothing that a reducer or an observer starts must be taken for a part of that effect.
    @inlinable
    @inline(__always)
    final func inCleanContext<Result>(_ body: () -> Result) -> Result {
        effectBodies.loadRelaxed() > 0 && CurrentEffect.isPresent ? CurrentEffect.hidden(during: body) : body()
    }
}

/// How many bodies of effects run in the process, of whatever stores. While there are none, no thread need be asked for its
/// effect, which takes some 140 instructions. Relaxed: a thread in the body of an effect has counted that itself, or a task
/// that it was started by.
@usableFromInline let effectBodies = AtomicValue<Int>(0)
