import Synchronization

#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// A mutual-exclusion lock for critical sections of a few instructions, such as appending to an array.
///
/// It spins a moment, and then gives its core away until it gets the lock. It is not a `Synchronization.Mutex`, nor a
/// `pthread_mutex_t`, for measured reasons: on Linux the former is a priority-inheriting futex that can fall into a
/// convoy of context switches when more threads run than there are cores (100 times slower), and the thread sanitizer
/// cannot see through it; the latter costs two to five times as much under contention. Who holds the lock is always
/// running or ready to run, never asleep, so giving the core away lets it finish.
///
/// No user code runs while a `Lock` is held, releases of user values included.
@usableFromInline
package struct Lock: ~Copyable, Sendable {
    /// Pairs: each exchange, which acquires, with the store of the release before it.
    @usableFromInline let isHeld = AtomicValue<Bool>(false)

    @inlinable
    package init() {}

    /// Runs `body` while no other thread runs one under this lock.
    @inlinable
    @inline(__always)
    package func withLock<Result: ~Copyable, Failure: Error>(_ body: () throws(Failure) -> Result) throws(Failure)
        -> Result
    {
        acquire()
        defer { release() }
        return try body()
    }

    @inlinable
    @inline(__always)
    func acquire() {
        if isHeld.exchangeAcquiring(true) { acquireSlowly() }
        #if SCHEDULE_POINTS
            SchedulePoint.didLock(at: isHeld.address)
        #endif
    }

    @inlinable
    @inline(__always)
    func release() {
        isHeld.storeReleasing(false)
        #if SCHEDULE_POINTS
            SchedulePoint.didUnlock(at: isHeld.address)
        #endif
    }

    @usableFromInline
    func acquireSlowly() {
        #if SCHEDULE_POINTS
            if let thread = SchedulePoint.current {
                repeat { thread.sleep(at: isHeld.address) } while isHeld.exchangeAcquiring(true)
                return
            }
        #endif
        var backoff = Backoff()
        repeat {
            backoff.pause()
            // Looking before trying keeps the cache line shared among those who wait.
        } while isHeld.loadRelaxed() || isHeld.exchangeAcquiring(true)
    }
}

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
