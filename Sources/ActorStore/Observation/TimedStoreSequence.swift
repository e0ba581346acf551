/// An observation whose values are held back for some time, so that its observer is woken less often.
///
/// The first value comes at once, as with every observation. Meant for observations that keep the newest value; of one
/// with a buffer each value is held back by itself.
public struct TimedStoreSequence<Element: Sendable, C: Clock>: AsyncSequence, Sendable {
    /// An observation never fails.
    public typealias Failure = Never

    enum Timing: Sendable {
        case throttle(C.Duration)
        case coalesce(C.Duration)
        case debounce(C.Duration, maximumWait: C.Duration?)
    }

    let base: StoreSequence<Element>
    let timing: Timing
    let clock: C

    /// Begins to iterate.
    public func makeAsyncIterator() -> Iterator {
        Iterator(subscription: base.makeAsyncIterator().subscription, timing: timing, clock: clock)
    }

    /// Takes the values one after the other, each when its time has come.
    public struct Iterator: AsyncIteratorProtocol {
        let subscription: Subscription<Element>
        let timing: Timing
        let clock: C
        private var lastDelivery: C.Instant?

        init(subscription: Subscription<Element>, timing: Timing, clock: C) {
            self.subscription = subscription
            self.timing = timing
            self.clock = clock
        }

        /// The next value, or nil when the observation has ended or the task was cancelled.
        public mutating func next(isolation actor: isolated (any Actor)? = #isolation) async -> Element? {
            let element: Element?
            if lastDelivery == nil {
                element = await subscription.next()
            } else {
                switch timing {
                case .throttle(let interval): element = await throttled(interval)
                case .coalesce(let interval): element = await coalesced(interval)
                case .debounce(let quiet, let maximumWait): element = await debounced(quiet, maximumWait)
                }
            }
            lastDelivery = clock.now
            return element
        }

        /// Waits until the interval since the last value is over, and then for a change, if there was none meanwhile.
        private nonisolated(nonsending) func throttled(_ interval: C.Duration) async -> Element? {
            if let lastDelivery {
                let due = lastDelivery.advanced(by: interval)
                if clock.now < due {
                    do { try await clock.sleep(until: due, tolerance: nil) } catch { return nil }
                }
            }
            return await subscription.next()
        }

        /// Waits for a change, and then for others that come within the interval.
        private nonisolated(nonsending) func coalesced(_ interval: C.Duration) async -> Element? {
            guard let element = await subscription.next() else { return nil }
            do { try await clock.sleep(until: clock.now.advanced(by: interval), tolerance: nil) } catch { return nil }
            if case .element(let newer, _) = subscription.take() { return newer }
            return element
        }

        /// Waits for a change, and then until none has come for a while.
        private nonisolated(nonsending) func debounced(
            _ quiet: C.Duration,
            _ maximumWait: C.Duration?
        ) async -> Element? {
            guard var element = await subscription.next() else { return nil }
            let limit = maximumWait.map { clock.now.advanced(by: $0) }
            while !Task.isCancelled {
                var deadline = clock.now.advanced(by: quiet)
                if let limit, limit < deadline { deadline = limit }
                guard await hasNews(before: deadline) else { return element }
                switch subscription.take() {
                case .element(let newer, _): element = newer
                case .end: return element
                case .nothing: break  // A value that changed and changed back.
                }
            }
            return nil
        }

        private nonisolated(nonsending) func hasNews(before deadline: C.Instant) async -> Bool {
            await withTaskGroup(of: Bool.self) { [subscription, clock] group in
                group.addTask {
                    await subscription.waitForNews()
                    return true
                }
                group.addTask {
                    // Cut short when there are news, and then of no interest.
                    try? await clock.sleep(until: deadline, tolerance: nil)
                    return false
                }
                let isNews = await group.next() ?? false
                group.cancelAll()
                return isNews
            }
        }
    }
}

extension StoreSequence {
    /// At most one value in each interval: the first at once, and then the newest, as soon as the interval is over.
    ///
    /// - Parameters:
    ///   - interval: how long a value keeps the next one back.
    ///   - clock: measures the interval; a test gives one of its own.
    public func throttle<C: Clock>(
        for interval: C.Duration,
        clock: C = ContinuousClock()
    ) -> TimedStoreSequence<Element, C> {
        TimedStoreSequence(base: self, timing: .throttle(interval.boundedWait), clock: clock)
    }

    /// At most one value in each interval: the newest, when the interval that began with the first change is over.
    ///
    /// - Parameters:
    ///   - interval: how long changes are collected.
    ///   - clock: measures the interval; a test gives one of its own.
    public func coalesce<C: Clock>(
        for interval: C.Duration,
        clock: C = ContinuousClock()
    ) -> TimedStoreSequence<Element, C> {
        TimedStoreSequence(base: self, timing: .coalesce(interval.boundedWait), clock: clock)
    }

    /// The newest value, when there was no change for a while.
    ///
    /// - Parameters:
    ///   - quiet: for how long nothing must have changed.
    ///   - maximumWait: after what time a value comes although changes never cease, or nil for never.
    ///   - clock: measures the times; a test gives one of its own.
    public func debounce<C: Clock>(
        for quiet: C.Duration,
        maximumWait: C.Duration? = nil,
        clock: C = ContinuousClock()
    ) -> TimedStoreSequence<Element, C> {
        let timing = TimedStoreSequence<Element, C>.Timing
            .debounce(quiet.boundedWait, maximumWait: maximumWait?.boundedWait)
        return TimedStoreSequence(base: self, timing: timing, clock: clock)
    }
}
