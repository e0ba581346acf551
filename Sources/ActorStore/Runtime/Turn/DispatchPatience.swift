/// What a dispatch with patience knows of its caller, and whether it has given up waiting for its action to be
/// accepted.
@usableFromInline
final class DispatchPatience: Sendable {
    /// Whether the calling task had been cancelled before. The dispatch itself runs in a child task of it, which is
    /// cancelled when the time is up.
    let wasCancelled: Bool
    /// Pairs: what ends the wait notes this before it resumes the task that looks.
    private let end = AtomicValue<Bool>(false)

    init(wasCancelled: Bool) { self.wasCancelled = wasCancelled }

    /// Whether the action was not accepted because the wait for that was cancelled. Told by this and not by the error,
    /// because an interceptor can throw the same one.
    var isOver: Bool { end.loadAcquiring() }

    /// Takes note that the wait was given up.
    func noteEnd() { end.storeReleasing(true) }
}
