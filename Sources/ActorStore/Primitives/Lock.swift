import Synchronization

#if canImport(Darwin)
    // Public, because the lock is inlined into code of users.
    public import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

extension Lock {
    /// Runs `body` while no other thread runs code under this lock.
    @inlinable
    @inline(__always)
    package func withLock<Result: ~Copyable, Failure: Error>(_ body: () throws(Failure) -> Result) throws(Failure)
        -> Result
    {
        acquire()
        defer { release() }
        return try body()
    }
}

#if canImport(Darwin) && !SCHEDULE_POINTS
    /// A mutual-exclusion lock for critical sections of a few instructions, such as appending to an array.
    ///
    /// It is Darwin's unfair lock, to whose holder a waiting thread lends its priority. Where threads have priorities,
    /// a waiting thread of a high one that only yields its core can keep a holder of a low one from running.
    ///
    /// No user code runs while a `Lock` is held, including releases of user values.
    @usableFromInline
    package struct Lock: ~Copyable, @unchecked Sendable {
        // Sound: an unfair lock must stay at one address, so it is in separate memory, which only `deinit` frees. All
        // access goes through its functions, which support concurrent callers.
        @usableFromInline let lock: UnsafeMutablePointer<os_unfair_lock>

        @inlinable
        package init() {
            lock = .allocate(capacity: 1)
            lock.initialize(to: os_unfair_lock())
        }

        @inlinable
        deinit {
            lock.deinitialize(count: 1)
            lock.deallocate()
        }

        @inlinable
        @inline(__always)
        func acquire() { os_unfair_lock_lock(lock) }

        @inlinable
        @inline(__always)
        func release() { os_unfair_lock_unlock(lock) }
    }
#else
    /// A mutual-exclusion lock for critical sections of a few instructions, such as appending to an array.
    ///
    /// It spins briefly, and then yields its core until it gets the lock. Measurements ruled out the alternatives on
    /// Linux: `Synchronization.Mutex` is a priority-inheriting futex that can fall into a convoy of context switches
    /// when more threads run than there are cores (100 times slower), and the thread sanitizer cannot see through it;
    /// `pthread_mutex_t` costs two to five times as much under contention. The holder of the lock is always running or
    /// ready to run, never asleep, so yielding the core lets it finish.
    ///
    /// No user code runs while a `Lock` is held, including releases of user values.
    @usableFromInline
    package struct Lock: ~Copyable, Sendable {
        /// Pairs: each exchange, which acquires, with the store of the release before it.
        @usableFromInline let isHeld = AtomicValue<Bool>(false)

        @inlinable
        package init() {}

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
                // Checking before exchanging keeps the cache line shared among the waiting threads.
            } while isHeld.loadRelaxed() || isHeld.exchangeAcquiring(true)
        }
    }
#endif

/// The waiting strategy of a thread that expects another one to finish soon: it spins for some nanoseconds, then yields
/// its core, and finally sleeps briefly if the other thread has been suspended for long.
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

    /// Whether the next pause spins, or is one of the first that yield the core.
    var isPatient: Bool {
        #if SCHEDULE_POINTS
            if SchedulePoint.current != nil { return pauses < 2 }
        #endif
        return pauses < Self.patience
    }

    /// Waits briefly, longer each time.
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
