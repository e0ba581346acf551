import Foundation
import Synchronization

/// Disturbs the measured fixture at equal intervals on its own thread, while operations run.
///
/// The compared benchmark is set up at the same time, and must not be disturbed as well: between operations the thread
/// sleeps.
final class Disturber: Sendable {
    private let interval: Double
    private let disturb: @Sendable () -> Void
    private let operations = Atomic<Int>(0)
    private let isStopped = Atomic<Bool>(false)
    private let hasEnded = DispatchSemaphore(value: 0)

    /// - Parameters:
    ///   - interval: The seconds between two disturbances.
    ///   - disturb: The disturbance.
    init(every interval: Double, _ disturb: @escaping @Sendable () -> Void) {
        self.interval = interval
        self.disturb = disturb
        Thread.detachNewThread { [self] in run() }
    }

    /// Reports the beginning of an operation.
    func noteOperation() { operations.add(1, ordering: .relaxed) }

    /// Returns when the thread has ended.
    func stop() {
        isStopped.store(true, ordering: .relaxed)
        hasEnded.wait()
    }

    private func run() {
        var seen = 0
        while !isStopped.load(ordering: .relaxed) {
            Thread.sleep(forTimeInterval: interval)
            let now = operations.load(ordering: .relaxed)
            if now != seen { disturb() }
            seen = now
        }
        hasEnded.signal()
    }
}
