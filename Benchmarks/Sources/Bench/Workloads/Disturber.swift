import Foundation
import Synchronization

/// Disturbs what is measured, at equal intervals on a thread of its own, as long as operations come.
///
/// What it is compared with is set up at the same time. It must not be disturbed too: between operations the thread
/// sleeps.
final class Disturber: Sendable {
    private let interval: Double
    private let disturb: @Sendable () -> Void
    private let operations = Atomic<Int>(0)
    private let isStopped = Atomic<Bool>(false)
    private let hasEnded = DispatchSemaphore(value: 0)

    /// - Parameters:
    ///   - interval: How many seconds pass from one disturbance to the next.
    ///   - disturb: Disturbs.
    init(every interval: Double, _ disturb: @escaping @Sendable () -> Void) {
        self.interval = interval
        self.disturb = disturb
        Thread.detachNewThread { [self] in run() }
    }

    /// Tells that an operation begins.
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
