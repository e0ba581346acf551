#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// How much is done in one go, so that nothing waits for long behind work of others.
///
/// A thread that has the turn passes it on after so many messages, or when so much time has passed; so an answer that
/// was given in the turn, and every other piece of deferred work, waits no longer than that. Closures that are isolated
/// to an actor leave it after as many calls, or as much time, so that its other jobs are served.
@usableFromInline
package final class WorkLimits: Sendable {
    /// How many messages of others a sender reduces.
    @usableFromInline package let messagesPerSender: Int
    /// How many messages the store's background task reduces before it lets other tasks run.
    @usableFromInline package let messagesPerSlice: Int
    /// How many messages are read while deferred work, such as an answer, waits for the end of the turn.
    package let messagesPerAnswer: Int
    /// After how many nanoseconds no further message is begun.
    package let nanoseconds: Int64
    /// The time in nanoseconds since some moment that stays the same.
    package let now: @Sendable () -> Int64

    /// The limits of all stores, except in tests.
    @usableFromInline
    package static let standard = WorkLimits()

    /// Limits that do not depend on time.
    package static let withoutTime = WorkLimits(now: { 0 })

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

/// Decides before each message whether the thread that reads them begins another one. A plain value.
///
/// While deferred work waits, the budget reads the time before each message, so that the limit is exact. Otherwise it
/// reads the time as often as the messages so far suggest, because reading it costs as much as a short turn.
@usableFromInline
struct WorkBudget {
    @usableFromInline let limits: WorkLimits
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
    init(_ limits: WorkLimits, messages: Int) {
        self.limits = limits
        remaining = messages
    }

    /// Whether one more message may be begun.
    ///
    /// - Parameter isAwaited: Whether deferred work waits for the end of the turn.
    @inlinable
    @inline(__always)
    mutating func allowsNext(isAwaited: Bool) -> Bool {
        guard remaining > 0 else { return false }
        if (isAwaited || begun == nextLook) && !allowsNextByTime(isAwaited) { return false }
        remaining -= 1
        begun += 1
        return true
    }

    @usableFromInline
    mutating func allowsNextByTime(_ isAwaited: Bool) -> Bool {
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
        guard isAwaited else { return true }
        guard let waiting else {
            self.waiting = (now, begun)
            return true
        }
        return now - waiting.since < limits.nanoseconds && begun - waiting.begun < limits.messagesPerAnswer
    }
}

/// A bound on calls that are made in one go while others wait. A plain value.
///
/// No call begins once the slice is over. A slice that has just begun is not over, so there is always progress.
struct WorkSlice: Sendable {
    /// Whether no further call may begin.
    private(set) var isOver = false
    private var remaining: Int
    private let limits: WorkLimits
    private let end: Int64

    /// Begins a slice.
    init(_ limits: WorkLimits) {
        self.limits = limits
        remaining = limits.messagesPerAnswer
        end = limits.now() + limits.nanoseconds
    }

    /// Records the end of a call. Reads the time.
    mutating func finishPiece() {
        remaining -= 1
        isOver = remaining == 0 || limits.now() >= end
    }
}

/// The time of a clock that never goes back.
package enum MonotonicTime {
    /// The nanoseconds since some moment that stays the same while the machine runs.
    package static var nanoseconds: Int64 {
        var time = timespec()
        clock_gettime(CLOCK_MONOTONIC, &time)
        return Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec)
    }
}
