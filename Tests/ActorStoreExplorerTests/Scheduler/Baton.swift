import Glibc

/// A wait of a thread: ended by one thread, for one thread.
final class Baton: @unchecked Sendable {
    // Sound: a semaphore must stay at one address, so it has its own memory, which only `deinit` frees; all access goes
    // through its functions, which support concurrent callers.
    private let semaphore = UnsafeMutablePointer<sem_t>.allocate(capacity: 1)

    init() { sem_init(semaphore, 0, 0) }

    deinit {
        sem_destroy(semaphore)
        semaphore.deallocate()
    }

    func give() { sem_post(semaphore) }

    func take() { while sem_wait(semaphore) != 0 {} }

    /// - Returns: Whether it was passed in time.
    func take(withinSeconds seconds: Int) -> Bool {
        var deadline = timespec()
        clock_gettime(CLOCK_REALTIME, &deadline)
        deadline.tv_sec += seconds
        while sem_timedwait(semaphore, &deadline) != 0 { if errno == ETIMEDOUT { return false } }
        return true
    }
}
