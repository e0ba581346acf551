import Synchronization

/// Keeps a closure observing a store; releasing it, or calling ``cancel()``, ends that.
///
/// It does not keep the store alive.
public final class Observation: Sendable {
    private let onCancel: @Sendable () -> Void
    private let isCancelled = Atomic<Bool>(false)

    @usableFromInline
    init(onCancel: @escaping @Sendable () -> Void) {
        self.onCancel = onCancel
    }

    deinit { cancel() }

    /// Ends the observation: no call of the closure begins after this returns. One that has begun on another thread
    /// goes on to its end. Calling it again does nothing.
    public func cancel() {
        if !isCancelled.exchange(true, ordering: .acquiringAndReleasing) { onCancel() }
    }
}
