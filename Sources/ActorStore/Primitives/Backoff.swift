#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// How a thread waits for another one that is about to finish: by spinning for some nanoseconds, then by giving its
/// core away, and in the end, should the other one have been put off for long, by short sleeps.
struct Backoff {
    private var pauses = 0

    private static let spins = 6
    private static let yields = 200
    private static let patience = spins + 20

    /// Whether the next pause keeps the core.
    var isSpinning: Bool {
        #if SCHEDULE_POINTS
            if SchedulePoint.current != nil { return pauses < 1 }
        #endif
        return pauses < Self.spins
    }

    /// Whether the next pause is one of spinning, or one of the first times of giving the core away.
    var isPatient: Bool {
        #if SCHEDULE_POINTS
            if SchedulePoint.current != nil { return pauses < 2 }
        #endif
        return pauses < Self.patience
    }

    /// Waits a little, longer each time.
    mutating func pause() {
        defer { pauses += 1 }
        #if SCHEDULE_POINTS
            if let thread = SchedulePoint.current { return thread.pause() }
        #endif
        if pauses < Self.spins {
            for _ in 0..<(1 << pauses) { CurrentThread.relax() }
        } else if pauses < Self.spins + Self.yields {
            sched_yield()
        } else {
            usleep(50)
        }
    }
}
