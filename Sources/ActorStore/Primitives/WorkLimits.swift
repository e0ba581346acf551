#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// The limits on work that is done without interruption, so that other work does not wait too long.
///
/// A thread that owns the turn passes it on after a number of messages, or after a time; so an answer that was given
/// within the turn, and all other deferred work, waits no longer than that. Closures that are isolated to an actor
/// leave it after as many calls, or as much time, so that its other jobs run.
@usableFromInline
package final class WorkLimits: Sendable {
    /// The maximum number of messages that a sender reduces for other senders.
    @usableFromInline package let messagesPerSender: Int
    /// The number of messages that the store's background task reduces before it yields to other tasks.
    @usableFromInline package let messagesPerSlice: Int
    /// The maximum number of messages that are read while deferred work, such as an answer, waits for the end of the
    /// turn.
    package let messagesPerAnswer: Int
    /// The time, in nanoseconds, after which no further message is started.
    package let nanoseconds: Int64
    /// Returns the time in nanoseconds since a fixed moment.
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

/// The budget of a thread that reads messages, which decides before each message whether it may start. A plain value.
///
/// While deferred work waits, the budget reads the time before each message, so that the limit is exact. Otherwise it
/// reads the time as often as the previous messages suggest, because reading it costs as much as a short turn.
@usableFromInline
struct WorkBudget {
    @usableFromInline let limits: WorkLimits
    /// The number of messages that may still start.
    @usableFromInline var remaining: Int
    /// The number of messages that have started, including the first.
    @usableFromInline var begun = 0
    /// The time at which the second message was about to start.
    @usableFromInline var start: Int64 = 0
    /// The number of messages at which the time is read next.
    @usableFromInline var nextLook = 1
    /// The time at which deferred work started to wait, and the number of messages that had started by then.
    @usableFromInline var waiting: (since: Int64, begun: Int)?

    @usableFromInline
    init(_ limits: WorkLimits, messages: Int) {
        self.limits = limits
        remaining = messages
    }

    /// Returns whether one more message may start.
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
            // Doubles the number of messages, unless that many would take too long.
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

/// A limit on calls that are made without interruption while other work waits. A plain value.
///
/// No call starts after the slice is over. A slice that has just started is not over, so there is always progress.
struct WorkSlice: Sendable {
    /// Whether no further call may start.
    private(set) var isOver = false
    private var remaining: Int
    private let limits: WorkLimits
    private let end: Int64

    /// Starts a slice.
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

/// The time of a monotonic clock.
package enum MonotonicTime {
    /// The nanoseconds since a moment that is fixed while the machine runs.
    package static var nanoseconds: Int64 {
        var time = timespec()
        clock_gettime(CLOCK_MONOTONIC, &time)
        return Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec)
    }
}
