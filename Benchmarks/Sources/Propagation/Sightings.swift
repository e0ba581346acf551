import Benchmarking
import Foundation
import Synchronization

/// What an observer has seen so far, from any thread.
public final class Sightings: Sendable {
    private struct Log {
        var latencies = Histogram()
        /// How many signals were seen since the beginning.
        var count = 0
    }

    private let log = Mutex(Log())

    /// An observer that has seen nothing.
    public init() {}

    /// A signal has been seen.
    ///
    /// - Parameters:
    ///   - signal: What was seen.
    ///   - moment: When, by the monotonic clock.
    public func note(_ signal: Signal, at moment: Int = MonotonicClock.now) {
        log.withLock { log in
            // Picoseconds, as the harness has them.
            log.latencies.record((moment - signal.sent) * 1_000)
            log.count += 1
        }
    }

    /// Waits until so many signals have been seen since the beginning.
    ///
    /// - Parameters:
    ///   - count: How many there are.
    ///   - patience: For how many nanoseconds to wait.
    /// - Returns: The latencies since the last call, in picoseconds; or why there are none: too few signals were seen, or
    ///   more than there are.
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
