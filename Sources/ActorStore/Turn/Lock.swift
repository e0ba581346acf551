#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// A mutual-exclusion lock for critical sections of a few instructions.
///
/// It is a `pthread_mutex_t` and not a `Synchronization.Mutex` for two measured reasons: on Linux the latter is a
/// priority-inheriting futex that can fall into a convoy of context switches when more threads run than there are
/// cores (100 times slower), and the thread sanitizer cannot see through it. Where the platform has it, the adaptive
/// kind is used, which spins a moment before it sleeps.
///
/// No user code runs while a `Lock` is held, releases of user values included.
@usableFromInline
struct Lock: ~Copyable, @unchecked Sendable {
    // Sound: a pthread mutex must stay at one address, so it lives in memory of its own, which only `deinit` frees; all
    // access to it goes through the pthread functions, which are made for concurrent callers.
    @usableFromInline let mutex: UnsafeMutablePointer<pthread_mutex_t>

    @usableFromInline
    init() {
        mutex = .allocate(capacity: 1)
        var attributes = pthread_mutexattr_t()
        pthread_mutexattr_init(&attributes)
        #if canImport(Glibc)
            pthread_mutexattr_settype(&attributes, CInt(PTHREAD_MUTEX_ADAPTIVE_NP))
        #endif
        pthread_mutex_init(mutex, &attributes)
        pthread_mutexattr_destroy(&attributes)
    }

    deinit {
        pthread_mutex_destroy(mutex)
        mutex.deallocate()
    }

    /// Runs `body` while no other thread runs one under this lock.
    @inlinable
    @inline(__always)
    func withLock<Result: ~Copyable, Failure: Error>(_ body: () throws(Failure) -> Result) throws(Failure) -> Result {
        acquire()
        defer { release() }
        return try body()
    }

    @usableFromInline
    func acquire() {
        let status = pthread_mutex_lock(mutex)
        assert(status == 0, "pthread_mutex_lock failed with \(status)")
    }

    @usableFromInline
    func release() {
        let status = pthread_mutex_unlock(mutex)
        assert(status == 0, "pthread_mutex_unlock failed with \(status)")
    }
}

/// A place where threads sleep until another one wakes all of them; used together with a ``Lock``.
@usableFromInline
struct Condition: ~Copyable, @unchecked Sendable {
    // Sound for the same reason as `Lock.mutex`.
    private let condition: UnsafeMutablePointer<pthread_cond_t>

    @usableFromInline
    init() {
        condition = .allocate(capacity: 1)
        pthread_cond_init(condition, nil)
    }

    deinit {
        pthread_cond_destroy(condition)
        condition.deallocate()
    }

    /// Gives up `lock`, sleeps until woken, and takes the lock again. Can wake without a reason: check in a loop.
    @usableFromInline
    func wait(holding lock: borrowing Lock) {
        pthread_cond_wait(condition, lock.mutex)
    }

    /// Wakes every thread that waits.
    @usableFromInline
    func wakeAll() {
        pthread_cond_broadcast(condition)
    }
}
