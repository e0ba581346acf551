import ActorStore

/// An instrument that counts events and adds up durations, for the metrics of a service.
///
/// ```swift
/// let counting = CountingInstrument()
/// store.use(counting)
/// let counts = counting.counts
/// print(counts.reductions.count, counts.reductions.quantile(0.99), counts.droppedByOverload)
/// ```
///
/// Several stores can use it; their figures are added up. It can be read from any thread.
public final class CountingInstrument: StoreInstrument {
    /// The number and the durations of events of one kind.
    public struct Durations: Sendable, Equatable {
        /// The number of events.
        public fileprivate(set) var count = 0
        /// The sum of the durations.
        public fileprivate(set) var sum = Duration.zero
        /// The longest duration.
        public fileprivate(set) var maximum = Duration.zero
        private var histogram = DurationHistogram()

        /// Returns the duration that a fraction of all durations do not exceed: `quantile(0.99)` is the maximum of all
        /// but one in a hundred.
        ///
        /// It is exact to 6 %: a duration is counted together with others that are at most a sixteenth longer.
        ///
        /// - Parameter fraction: The fraction, from 0 to 1. Traps if it is out of range.
        /// - Returns: The duration; zero if there were no events.
        /// - Complexity: O(1): at most about a thousand steps.
        public func quantile(_ fraction: Double) -> Duration {
            guard (0...1).contains(fraction) else {
                fatalError("Durations.quantile(\(fraction)) is out of range. Pass a fraction from 0 to 1.")
            }
            // Not longer than the maximum, which is exact.
            return histogram.quantile(fraction).map { min($0, maximum) } ?? .zero
        }

        fileprivate mutating func add(_ duration: Duration) {
            histogram.add(duration)
            count += 1
            sum += duration
            maximum = max(maximum, duration)
        }
    }

    /// All figures at one moment.
    public struct Counts: Sendable, Equatable {
        /// The actions whose turn has begun, and how long they waited for it.
        public fileprivate(set) var actions = Durations()
        /// The actions that were reduced, and how long that took.
        public fileprivate(set) var reductions = Durations()
        /// The notifications of observers, and how long they took.
        public fileprivate(set) var notifications = Durations()
        /// The number of actions dropped because the mailbox was full, or did not accept them in time.
        public fileprivate(set) var droppedByOverload = 0
        /// The number of actions dropped because their effect or their store had ended, or had been cancelled.
        public fileprivate(set) var droppedAsLate = 0
        /// The number of actions that interceptors stopped, or that waited for a first state that could not be loaded.
        public fileprivate(set) var rejected = 0
        /// The number of effects that have begun; see `BegunEffect` for what counts as one.
        public fileprivate(set) var begunEffects = 0
        /// The effects that have completed their work, and how long they took.
        public fileprivate(set) var endedEffects = Durations()
        /// The effects that have ended after they were cancelled, and how long they took.
        public fileprivate(set) var cancelledEffects = Durations()
        /// The effects that have failed, and how long they took.
        public fileprivate(set) var failedEffects = Durations()

        /// The number of effects that have begun and not ended, as far as the instrument was notified: it is not
        /// notified of effects that end after it was removed. `StoreStatistics.runningEffects` of a store is exact.
        public var runningEffects: Int {
            begunEffects - endedEffects.count - cancelledEffects.count - failedEffects.count
        }
    }

    private let storage = LockedValue(Counts())

    /// Creates an instrument that has counted nothing.
    public init() {}

    /// The current figures.
    public var counts: Counts { storage.withLock { $0 } }

    private func count(_ change: (inout Counts) -> Void) { storage.withLock(change) }
}

extension CountingInstrument {
    /// Counts an event.
    public func record(_ event: InstrumentEvent) {
        count { counts in
            switch event {
            case .actionAccepted(let event): counts.actions.add(event.waiting)
            case .actionReduced(let event): counts.reductions.add(event.duration)
            case .observersNotified(let event): counts.notifications.add(event.duration)
            case .effectBegan: counts.begunEffects += 1
            case .effectEnded(let event): counts.endedEffects.add(event.duration)
            case .effectCancelled(let event): counts.cancelledEffects.add(event.duration)
            case .effectFailed(let event, _): counts.failedEffects.add(event.duration)
            case .actionDropped(let event):
                switch event.reason {
                case .overload: counts.droppedByOverload += event.count
                case .late: counts.droppedAsLate += event.count
                case .rejected: counts.rejected += event.count
                }
            }
        }
    }
}
