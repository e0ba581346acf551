import ActorStore
import Dispatch

/// The threads that wait for new entries.
package final class WaitingThreads: Sendable {
    private let semaphores = LockedValue<[DispatchSemaphore]>([])

    package init() {}

    /// Wakes all threads.
    package func wake() {
        for semaphore in semaphores.withLock({ $0 }) { semaphore.signal() }
    }

    /// Waits until ``wake()`` is called, or the duration has passed.
    ///
    /// - Parameters:
    ///   - duration: The maximum duration of the wait.
    ///   - isOver: Returns whether there is nothing to wait for. Code that changes the result calls ``wake()``
    ///     afterwards.
    package func wait(for duration: Duration, unless isOver: () -> Bool) {
        let semaphore = DispatchSemaphore(value: 0)
        semaphores.withLock { $0.append(semaphore) }
        // Checked after the semaphore is registered, so that no change in between is missed.
        if !isOver() { _ = semaphore.wait(timeout: .now() + duration.dispatchInterval) }
        semaphores.withLock { $0.removeAll { $0 === semaphore } }
    }
}
