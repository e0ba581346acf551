#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// A mutual-exclusion lock whose waiters sleep: for critical sections that may take their time, because user code such
/// as a hash function runs in them. For all others there is ``Lock``.
package struct BlockingLock: ~Copyable, @unchecked Sendable {
    // Sound: a pthread mutex must stay at one address, so it lives in memory of its own, which only `deinit` frees; all
    // access goes through the pthread functions, which are made for concurrent callers.
    private let mutex: UnsafeMutablePointer<pthread_mutex_t>

    package init() {
        mutex = .allocate(capacity: 1)
        pthread_mutex_init(mutex, nil)
    }

    deinit {
        pthread_mutex_destroy(mutex)
        mutex.deallocate()
    }

    /// Runs `body` while no other thread runs one under this lock.
    package func withLock<Result, Failure: Error>(_ body: () throws(Failure) -> Result) throws(Failure) -> Result {
        lock()
        defer { unlock() }
        return try body()
    }

    private func lock() {
        #if SCHEDULE_POINTS
            if let thread = SchedulePoint.current { return ScheduledMutex.lock(mutex, by: thread) }
        #endif
        pthread_mutex_lock(mutex)
    }

    private func unlock() {
        #if SCHEDULE_POINTS
            if let thread = SchedulePoint.current { return ScheduledMutex.unlock(mutex, by: thread) }
        #endif
        pthread_mutex_unlock(mutex)
    }
}

#if SCHEDULE_POINTS
    /// The operations of a mutex by threads of the explorer. A thread that would sleep gives up the baton instead.
    enum ScheduledMutex {
        static func lock(_ mutex: UnsafeMutablePointer<pthread_mutex_t>, by thread: any ScheduledThread) {
            thread.modify(at: mutex, .acquiring)
            while pthread_mutex_trylock(mutex) != 0 { thread.sleep(at: mutex) }
            thread.didLock(at: mutex)
        }

        static func unlock(_ mutex: UnsafeMutablePointer<pthread_mutex_t>, by thread: any ScheduledThread) {
            thread.modify(at: mutex, .releasing)
            pthread_mutex_unlock(mutex)
            thread.didUnlock(at: mutex)
            thread.wake(at: mutex)
        }
    }
#endif
