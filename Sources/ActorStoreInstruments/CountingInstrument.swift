import ActorStore

/// Counts and adds up what happens: what a service shows of its stores.
///
/// ```swift
/// let counting = CountingInstrument()
/// store.use(counting)
/// let counts = counting.counts
/// print(counts.reductions.count, counts.reductions.quantile(0.99), counts.droppedByOverload)
/// ```
///
/// It can be used by several stores, whose figures are added up, and read from anywhere.
public final class CountingInstrument: StoreInstrument {
    /// How often something took time, and how long.
    public struct Durations: Sendable, Equatable {
        /// How often.
        public fileprivate(set) var count = 0
        /// How long together.
        public fileprivate(set) var sum = Duration.zero
        /// The longest.
        public fileprivate(set) var maximum = Duration.zero
        private var histogram = DurationHistogram()

        /// The duration that a part of all does not exceed: `quantile(0.99)` is what all but one in a hundred took at
        /// most.
        ///
        /// It is as exact as 6 % of itself: a duration is counted with others that are at most a sixteenth longer.
        ///
        /// - Parameter fraction: The part of all, from 0 to 1. Another one is a programmer error, and traps.
        /// - Returns: The duration; zero if there was none.
        /// - Complexity: O(1): at most about a thousand steps.
        public func quantile(_ fraction: Double) -> Duration {
            guard (0...1).contains(fraction) else {
                fatalError("Durations.quantile(\(fraction)) is no part of all. Give a fraction from 0 to 1.")
            }
            // No longer than the longest: that is known exactly.
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
        /// How many actions came to their turn, and how long they waited for it.
        public fileprivate(set) var actions = Durations()
        /// How many actions were reduced, and how long that took.
        public fileprivate(set) var reductions = Durations()
        /// How often observers were told, and how long that took.
        public fileprivate(set) var notifications = Durations()
        /// How many actions were dropped because the mailbox was full, or did not take them in time.
        public fileprivate(set) var droppedByOverload = 0
        /// How many actions were dropped because their effect or their store had ended, or had been cancelled.
        public fileprivate(set) var droppedAsLate = 0
        /// How many actions interceptors have stopped, or waited for a first state that could not be loaded.
        public fileprivate(set) var rejected = 0
        /// How many effects have begun; see `BegunEffect` for what counts as one.
        public fileprivate(set) var begunEffects = 0
        /// How many effects have done their work, and how long they took.
        public fileprivate(set) var endedEffects = Durations()
        /// How many effects have come to their end after they had been cancelled, and how long they took.
        public fileprivate(set) var cancelledEffects = Durations()
        /// How many effects have failed, and how long they took.
        public fileprivate(set) var failedEffects = Durations()

        /// How many effects have begun and not ended, as far as the instrument was told: of those that end after it was
        /// removed it does not learn. `StoreStatistics.runningEffects` of a store is exact.
        public var runningEffects: Int {
            begunEffects - endedEffects.count - cancelledEffects.count - failedEffects.count
        }
    }

    private let storage = LockedValue(Counts())

    /// Creates one that has counted nothing.
    public init() {}

    /// The figures at this moment.
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
