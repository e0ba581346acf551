import ActorStore
import Dispatch

/// Threads that wait until something is new.
package final class WaitingThreads: Sendable {
    private let semaphores = LockedValue<[DispatchSemaphore]>([])

    package init() {}

    /// Wakes all of them.
    package func wake() {
        for semaphore in semaphores.withLock({ $0 }) { semaphore.signal() }
    }

    /// Waits until ``wake()`` is called, or for some time.
    ///
    /// - Parameter isOver: Whether there is nothing to wait for. Whoever changes that calls ``wake()`` afterwards.
    package func wait(for duration: Duration, unless isOver: () -> Bool) {
        let semaphore = DispatchSemaphore(value: 0)
        semaphores.withLock { $0.append(semaphore) }
        // Asked afterwards, so that what is new between is not missed.
        if !isOver() { _ = semaphore.wait(timeout: .now() + duration.dispatchInterval) }
        semaphores.withLock { $0.removeAll { $0 === semaphore } }
    }
}
