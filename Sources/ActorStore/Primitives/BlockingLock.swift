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
        pthread_mutex_lock(mutex)
        defer { pthread_mutex_unlock(mutex) }
        return try body()
    }
}
