import Benchmarking
import Synchronization

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Darwin)
    import Darwin
#endif

/// The fastest lock for sections of a few instructions known to the project, of the kind that the engine uses: it spins
/// for a moment, and then yields the core.
struct SpinLock: ~Copyable, Sendable {
    private let isHeld = Atomic<Bool>(false)

    @inline(__always)
    func withLock<Result>(_ body: () -> Result) -> Result {
        if isHeld.exchange(true, ordering: .acquiring) { acquireSlowly() }
        defer { isHeld.store(false, ordering: .releasing) }
        return body()
    }

    private func acquireSlowly() {
        var pauses = 0
        repeat {
            if pauses < 6 {
                for _ in 0..<(1 << pauses) { relax() }
            } else {
                sched_yield()
            }
            pauses += 1
            // Reading before trying keeps the cache line shared among waiting threads.
        } while isHeld.load(ordering: .relaxed) || isHeld.exchange(true, ordering: .acquiring)
    }
}
