import Benchmarking
import Foundation
import Synchronization

/// The signals that an observer has seen so far, from any thread.
public final class Sightings: Sendable {
    private struct Log {
        var latencies = Histogram()
        /// The number of signals seen since the beginning.
        var count = 0
    }

    private let log = Mutex(Log())

    /// An observer that has seen nothing.
    public init() {}

    /// Records a signal.
    ///
    /// - Parameters:
    ///   - signal: The signal.
    ///   - moment: Its time by the monotonic clock.
    public func note(_ signal: Signal, at moment: Int = MonotonicClock.now) {
        log.withLock { log in
            // Picoseconds, like the harness.
            log.latencies.record((moment - signal.sent) * 1_000)
            log.count += 1
        }
    }

    /// Waits until a number of signals have been seen since the beginning.
    ///
    /// - Parameters:
    ///   - count: The number of signals.
    ///   - patience: The maximum wait, in nanoseconds.
    /// - Returns: The latencies since the last call, in picoseconds; or the error: too few signals were seen, or too
    ///   many.
    public func take(_ count: Int, within patience: Int = 60_000_000_000) -> Result<Histogram, ObserverFailure> {
        let end = MonotonicClock.now + patience
        while true {
            let (seen, latencies) = log.withLock { log in
                let seen = log.count
                guard seen >= count else { return (seen, Histogram()) }
                defer { log.latencies = Histogram() }
                return (seen, log.latencies)
            }
            if seen == count { return .success(latencies) }
            guard seen < count, MonotonicClock.now < end else {
                return .failure(ObserverFailure("It has seen \(seen) of \(count) signals."))
            }
            usleep(1_000)
        }
    }
}
