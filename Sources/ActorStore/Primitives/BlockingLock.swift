#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// A mutual-exclusion lock whose waiters sleep. For critical sections that may take long because they run user code,
/// such as a hash function. Use ``Lock`` for all others.
@usableFromInline
package struct BlockingLock: ~Copyable, @unchecked Sendable {
    // Sound: a pthread mutex must stay at one address, so it is in separate memory, which only `deinit` frees. All
    // access goes through the pthread functions, which support concurrent callers.
    private let mutex: UnsafeMutablePointer<pthread_mutex_t>

    package init() {
        mutex = .allocate(capacity: 1)
        pthread_mutex_init(mutex, nil)
    }

    deinit {
        pthread_mutex_destroy(mutex)
        mutex.deallocate()
    }

    /// Runs `body` while no other thread runs code under this lock.
    @inlinable
    @inline(__always)
    package func withLock<Result, Failure: Error>(_ body: () throws(Failure) -> Result) throws(Failure) -> Result {
        lock()
        defer { unlock() }
        return try body()
    }

    @usableFromInline
    func lock() {
        #if SCHEDULE_POINTS
            if let thread = SchedulePoint.current { return ScheduledMutex.lock(mutex, by: thread) }
        #endif
        pthread_mutex_lock(mutex)
    }

    @usableFromInline
    func unlock() {
        #if SCHEDULE_POINTS
            if let thread = SchedulePoint.current { return ScheduledMutex.unlock(mutex, by: thread) }
        #endif
        pthread_mutex_unlock(mutex)
    }
}

#if SCHEDULE_POINTS
    /// The operations of a mutex by threads of the explorer. A thread that would sleep yields to another scheduled
    /// thread instead.
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

/// A value that is accessed only under a lock whose waiters sleep.
@usableFromInline
package final class LockedValue<Value>: @unchecked Sendable {
    // Sound: the value is accessed only under the lock. Values to release must be moved out of it, because a release
    // can run user code.
    @usableFromInline let lock = BlockingLock()
    @usableFromInline var value: Value

    package init(_ value: Value) { self.value = value }

    // Inlinable, so that the compiler specializes it where the type of the value is known.
    @inlinable
    @inline(__always)
    package func withLock<Result>(_ body: (inout Value) -> Result) -> Result {
        lock.withLock { body(&value) }
    }
}

/// A condition on which threads sleep until something has happened.
final class Condition: @unchecked Sendable {
    // Sound: a pthread mutex and condition must stay at one address, so they are in separate memory, which only
    // `deinit` frees. All access goes through the pthread functions, which support concurrent callers.
    private let mutex: UnsafeMutablePointer<pthread_mutex_t>
    private let condition: UnsafeMutablePointer<pthread_cond_t>

    init() {
        mutex = .allocate(capacity: 1)
        condition = .allocate(capacity: 1)
        pthread_mutex_init(mutex, nil)
        pthread_cond_init(condition, nil)
    }

    deinit {
        pthread_cond_destroy(condition)
        pthread_mutex_destroy(mutex)
        condition.deallocate()
        mutex.deallocate()
    }

    /// Sleeps while `mustWait` returns true. It is called with the condition's mutex held, before each sleep.
    func wait(while mustWait: () -> Bool) {
        #if SCHEDULE_POINTS
            if let thread = SchedulePoint.current { return wait(while: mustWait, on: thread) }
        #endif
        pthread_mutex_lock(mutex)
        while mustWait() { pthread_cond_wait(condition, mutex) }
        pthread_mutex_unlock(mutex)
    }

    /// Wakes every sleeping thread. The event that they wait for must have happened before.
    func wakeAll() {
        #if SCHEDULE_POINTS
            if let thread = SchedulePoint.current { return wakeAll(by: thread) }
        #endif
        pthread_mutex_lock(mutex)
        pthread_cond_broadcast(condition)
        pthread_mutex_unlock(mutex)
    }
}

#if SCHEDULE_POINTS
    /// The operations for threads of the explorer, which yield to another scheduled thread instead of sleeping.
    extension Condition {
        private func wait(while mustWait: () -> Bool, on thread: any ScheduledThread) {
            ScheduledMutex.lock(mutex, by: thread)
            while mustWait() {
                ScheduledMutex.unlock(mutex, by: thread)
                // No other thread runs between the end of `unlock` and this.
                thread.sleep(at: condition)
                ScheduledMutex.lock(mutex, by: thread)
            }
            ScheduledMutex.unlock(mutex, by: thread)
        }

        private func wakeAll(by thread: any ScheduledThread) {
            ScheduledMutex.lock(mutex, by: thread)
            thread.wake(at: condition)
            ScheduledMutex.unlock(mutex, by: thread)
        }
    }
#endif
