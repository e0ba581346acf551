/// An observation that delays its values; see ``StoreSequence/throttle(for:clock:)``.
struct TimedStoreSequence<Element: Sendable, C: Clock>: AsyncSequence, Sendable {
    enum Timing: Sendable {
        case throttle(C.Duration)
        case coalesce(C.Duration)
        case debounce(C.Duration, maximumWait: C.Duration?)
    }

    let base: StoreSequence<Element>
    let timing: Timing
    let clock: C

    /// Creates an iterator.
    func makeAsyncIterator() -> Iterator {
        Iterator(subscription: base.makeAsyncIterator().subscription, timing: timing, clock: clock)
    }

    /// An iterator that delivers each value when it is due.
    struct Iterator: AsyncIteratorProtocol {
        let subscription: Subscription<Element>
        let timing: Timing
        let clock: C
        private var lastDelivery: C.Instant?

        init(subscription: Subscription<Element>, timing: Timing, clock: C) {
            self.subscription = subscription
            self.timing = timing
            self.clock = clock
        }

        /// Returns the next value, or nil if the observation has ended or the task was cancelled.
        mutating func next(isolation actor: isolated (any Actor)? = #isolation) async -> Element? {
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

        /// Waits for the end of the interval since the last value, and then for a change unless one is pending.
        private func throttled(_ interval: C.Duration, isolation: isolated (any Actor)? = #isolation) async -> Element?
        {
            if let lastDelivery, !subscription.isExhausted {
                let due = lastDelivery.advanced(by: interval)
                if clock.now < due {
                    do { try await clock.sleep(until: due, tolerance: nil) } catch { return end() }
                }
            }
            return await subscription.next()
        }

        /// Waits for a change, and then until the end of the interval. Starts over if the value has changed back.
        private func coalesced(_ interval: C.Duration, isolation: isolated (any Actor)? = #isolation) async -> Element?
        {
            let delivered = subscription.previous
            while var element = await subscription.next() {
                if !subscription.isExhausted {
                    let due = clock.now.advanced(by: interval)
                    do { try await clock.sleep(until: due, tolerance: nil) } catch { return end() }
                }
                _ = subscription.catchUp(&element)
                if isNew(element, after: delivered) { return element }
            }
            return nil
        }

        /// Waits for a change, and then until no change has come for a while. Starts over if the value has changed
        /// back.
        private func debounced(
            _ quiet: C.Duration,
            _ maximumWait: C.Duration?,
            isolation: isolated (any Actor)? = #isolation
        ) async -> Element? {
            let delivered = subscription.previous
            while var element = await subscription.next() {
                let limit = maximumWait.map { clock.now.advanced(by: $0) }
                while true {
                    let calm = clock.now.advanced(by: quiet)
                    // A value that changed back is not overdue. The next new value is, once the limit has passed.
                    let deadline = isNew(element, after: delivered) ? Swift.min(calm, limit ?? calm) : calm
                    let isDisturbed = await hasPendingChange(before: deadline)
                    if Task.isCancelled { return end() }
                    let progress = subscription.catchUp(&element)
                    let isOverdue = limit.map { $0 <= clock.now } ?? false
                    if isOverdue, isNew(element, after: delivered) { return element }
                    if progress == .ended || progress == .unchanged && !isDisturbed { break }
                }
                if isNew(element, after: delivered) { return element }
            }
            return nil
        }

        /// Ends the observation of a cancelled task, so that later calls deliver nothing.
        private func end() -> Element? {
            subscription.cancel()
            return nil
        }

        private func isNew(_ element: Element, after delivered: Element?) -> Bool {
            guard let delivered, let areEqual = subscription.broadcast.areEqual else { return true }
            return !areEqual(delivered, element)
        }

        private func hasPendingChange(before deadline: C.Instant, isolation: isolated (any Actor)? = #isolation) async
            -> Bool
        {
            guard clock.now < deadline else { return false }
            return await withTaskGroup(of: Bool.self) { [subscription, clock] group in
                group.addTask {
                    await subscription.waitForChange()
                    return true
                }
                group.addTask {
                    // Cancelled when a change arrives; the result is then ignored.
                    try? await clock.sleep(until: deadline, tolerance: nil)
                    return false
                }
                let isChange = await group.next() ?? false
                group.cancelAll()
                return isChange
            }
        }
    }
}

extension StoreSequence {
    /// Returns a sequence that delivers at most one value in each interval: the newest, as soon as the interval is
    /// over.
    ///
    /// Use it for a steady rate with the lowest delay: the first value, and a change after a quiet interval, arrive at
    /// once. To wait for the end of the interval as well, use ``coalesce(for:clock:)``; to wait until changes cease,
    /// use ``debounce(for:maximumWait:clock:)``.
    ///
    /// A value that equals the last delivered one is not delivered, unless the observation has no notion of equality
    /// (``Deduplication/everyAction``). When the store ends, the newest value is still delivered, at the latest at the
    /// end of the interval, and then the sequence ends.
    ///
    /// The sequence is meant for observations that keep only the newest value. If the observation is buffered, every
    /// value is delivered, one in each interval.
    ///
    /// - Parameters:
    ///   - interval: The minimum time between two values.
    ///   - clock: The clock that measures the interval. Tests pass their own.
    /// - Returns: A sequence of the throttled values.
    public func throttle<C: Clock>(
        for interval: C.Duration,
        clock: C = ContinuousClock()
    ) -> some AsyncSequence<Element, Never> & Sendable {
        TimedStoreSequence(base: self, timing: .throttle(interval.boundedWait), clock: clock)
    }

    /// Returns a sequence that delivers at most one value in each interval: the newest, at the end of the interval that
    /// the first change started.
    ///
    /// Use it to turn bursts of changes into one value each. The first value is delivered at once, as in every
    /// observation. To receive a change after a quiet interval without delay, use ``throttle(for:clock:)``.
    ///
    /// A value that equals the last delivered one is not delivered, unless the observation has no notion of equality
    /// (``Deduplication/everyAction``). When the store ends, the newest value is still delivered, at the latest at the
    /// end of the interval, and then the sequence ends.
    ///
    /// The sequence is meant for observations that keep only the newest value. If the observation is buffered, the
    /// newest value is delivered and older ones are dropped.
    ///
    /// - Parameters:
    ///   - interval: The time during which changes are collected.
    ///   - clock: The clock that measures the interval. Tests pass their own.
    /// - Returns: A sequence of the coalesced values.
    public func coalesce<C: Clock>(
        for interval: C.Duration,
        clock: C = ContinuousClock()
    ) -> some AsyncSequence<Element, Never> & Sendable {
        TimedStoreSequence(base: self, timing: .coalesce(interval.boundedWait), clock: clock)
    }

    /// Returns a sequence that delivers the newest value once no change has occurred for a while.
    ///
    /// Use it for values that matter only when they settle. The first value is delivered at once, as in every
    /// observation. Without `maximumWait`, nothing is delivered while changes continue; for a steady rate use
    /// ``throttle(for:clock:)``.
    ///
    /// A value that equals the last delivered one is not delivered, unless the observation has no notion of equality
    /// (``Deduplication/everyAction``). When the store ends, the newest value is delivered at once, and then the
    /// sequence ends.
    ///
    /// The sequence is meant for observations that keep only the newest value. If the observation is buffered, the
    /// newest value is delivered and older ones are dropped.
    ///
    /// - Parameters:
    ///   - quiet: The time without a change before a value is delivered.
    ///   - maximumWait: The time after which a value is delivered although changes continue; nil for no limit.
    ///   - clock: The clock that measures both times. Tests pass their own.
    /// - Returns: A sequence of the debounced values.
    public func debounce<C: Clock>(
        for quiet: C.Duration,
        maximumWait: C.Duration? = nil,
        clock: C = ContinuousClock()
    ) -> some AsyncSequence<Element, Never> & Sendable {
        let timing = TimedStoreSequence<Element, C>.Timing
            .debounce(quiet.boundedWait, maximumWait: maximumWait?.boundedWait)
        return TimedStoreSequence(base: self, timing: timing, clock: clock)
    }
}

extension TimedStoreSequence.Iterator: ObservationIterator {
    var observation: any ObservationTarget { subscription }
}
