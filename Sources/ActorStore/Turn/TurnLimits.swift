/// How much is done in one go, so that nothing waits for long behind work of others.
///
/// A thread that has the turn passes it on after so many messages, or when so much time has passed; so an answer that
/// was given in the turn, and every other piece of deferred work, waits no longer than that.
@usableFromInline
package final class TurnLimits: Sendable {
    /// How many messages of others a sender reduces.
    @usableFromInline package let messagesPerSender: Int
    /// How many messages the store's background task reduces before it lets other tasks run.
    @usableFromInline package let messagesPerSlice: Int
    /// How many messages are reduced while an answer or other deferred work waits.
    package let messagesPerAnswer: Int
    /// After how many nanoseconds no further message is begun.
    package let nanoseconds: Int64
    /// The time in nanoseconds since some moment that stays the same.
    package let now: @Sendable () -> Int64

    /// The limits of all stores, except in tests.
    @usableFromInline
    package static let standard = TurnLimits()

    /// Limits that do not depend on time.
    package static let withoutTime = TurnLimits(now: { 0 })

    package init(
        messagesPerSender: Int = 64,
        messagesPerSlice: Int = 1024,
        messagesPerAnswer: Int = 64,
        nanoseconds: Int64 = 1_000_000,
        now: @escaping @Sendable () -> Int64 = { MonotonicTime.nanoseconds }
    ) {
        self.messagesPerSender = messagesPerSender
        self.messagesPerSlice = messagesPerSlice
        self.messagesPerAnswer = messagesPerAnswer
        self.nanoseconds = nanoseconds
        self.now = now
    }
}

extension TurnLimits {
    /// The source of time.
    var clock: MonotonicClock { MonotonicClock { [now] in .nanoseconds(now()) } }

    /// The same limits with another source of time.
    func with(_ clock: MonotonicClock) -> TurnLimits {
        TurnLimits(
            messagesPerSender: messagesPerSender,
            messagesPerSlice: messagesPerSlice,
            messagesPerAnswer: messagesPerAnswer,
            nanoseconds: nanoseconds,
            now: { Int64(clock.now() / .nanoseconds(1)) }
        )
    }
}

/// Decides after each message whether a thread that has the turn begins another one. A plain value.
///
/// While deferred work waits the time is looked at before each message, so that the limit is exact. Otherwise it is
/// looked at as often as the messages so far suggest, because a look costs as much as a short turn.
@usableFromInline
struct DrainBudget {
    @usableFromInline let limits: TurnLimits
    /// How many messages may still be begun.
    @usableFromInline var remaining: Int
    /// How many messages have been begun since the first one.
    @usableFromInline var begun = 0
    /// When the second message was about to begin.
    @usableFromInline var start: Int64 = 0
    /// With how many messages the time is looked at next.
    @usableFromInline var nextLook = 1
    /// When deferred work came to wait, and how many messages had been begun then.
    @usableFromInline var waiting: (since: Int64, begun: Int)?

    @usableFromInline
    init(_ limits: TurnLimits, messages: Int) {
        self.limits = limits
        remaining = messages
    }

    /// Whether one more message may be begun.
    ///
    /// - Parameter hasDeferredWork: Whether anything waits until the turn is passed on.
    @inlinable
    @inline(__always)
    mutating func allowsNext(hasDeferredWork: Bool) -> Bool {
        guard remaining > 0 else { return false }
        if (hasDeferredWork || begun == nextLook) && !allowsNextByTime(hasDeferredWork) { return false }
        remaining -= 1
        begun += 1
        return true
    }

    @usableFromInline
    mutating func allowsNextByTime(_ hasDeferredWork: Bool) -> Bool {
        let now = limits.now()
        if begun == nextLook {
            if begun == 1 { start = now }
            let elapsed = now - start
            if elapsed >= limits.nanoseconds { return false }
            // As many again as there were, unless so many would take too long.
            let done = Int64(begun - 1)
            let affordable = elapsed == 0 || done == 0 ? Int64(begun) : (limits.nanoseconds - elapsed) * done / elapsed
            nextLook = begun + max(1, min(begun, Int(affordable)))
        }
        guard hasDeferredWork else { return true }
        guard let waiting else {
            self.waiting = (now, begun)
            return true
        }
        return now - waiting.since < limits.nanoseconds && begun - waiting.begun < limits.messagesPerAnswer
    }
}
