/// An observation whose values are held back for some time; see ``StoreSequence/throttle(for:clock:)``.
struct TimedStoreSequence<Element: Sendable, C: Clock>: AsyncSequence, Sendable {
    enum Timing: Sendable {
        case throttle(C.Duration)
        case coalesce(C.Duration)
        case debounce(C.Duration, maximumWait: C.Duration?)
    }

    let base: StoreSequence<Element>
    let timing: Timing
    let clock: C

    /// Begins to iterate.
    func makeAsyncIterator() -> Iterator {
        Iterator(subscription: base.makeAsyncIterator().subscription, timing: timing, clock: clock)
    }

    /// Takes the values one after the other, each when its time has come.
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

        /// The next value, or nil when the observation has ended or the task was cancelled.
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

        /// Waits until the interval since the last value is over, and then for a change, if there was none meanwhile.
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

        /// Waits for a change, and then for others that come within the interval; again if the value changed back.
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

        /// Waits for a change, and then until none has come for a while; again if the value changed back.
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

        /// Ends the observation of a cancelled task, so that no later call delivers anything.
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
                    // Cut short when there are news, and then of no interest.
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
    /// At most one value in each interval: the first at once, and then the newest, as soon as the interval is over.
    ///
    /// The first value comes at once, as with every observation. A value that equals the last delivered one is not
    /// delivered; an observation without a notion of equality (``Deduplication/everyAction``) delivers equal values.
    /// When the store ends, the newest value still comes, and then the sequence ends: at once with
    /// ``debounce(for:maximumWait:clock:)``, and at the latest when the interval is over with this one and with
    /// ``coalesce(for:clock:)``.
    ///
    /// These three are meant for observations that keep only the newest value. Of a buffered observation this one
    /// delivers every value, one in each interval; the other two deliver the newest value and drop older ones.
    ///
    /// - Parameters:
    ///   - interval: how long a value keeps the next one back.
    ///   - clock: measures the interval; a test gives one of its own.
    public func throttle<C: Clock>(
        for interval: C.Duration,
        clock: C = ContinuousClock()
    ) -> some AsyncSequence<Element, Never> & Sendable {
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
    ) -> some AsyncSequence<Element, Never> & Sendable {
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
    ) -> some AsyncSequence<Element, Never> & Sendable {
        let timing = TimedStoreSequence<Element, C>.Timing
            .debounce(quiet.boundedWait, maximumWait: maximumWait?.boundedWait)
        return TimedStoreSequence(base: self, timing: timing, clock: clock)
    }
}

extension TimedStoreSequence.Iterator: ObservationIterator {
    var observation: any ObservationTarget { subscription }
}
