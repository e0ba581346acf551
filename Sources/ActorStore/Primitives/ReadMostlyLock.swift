import Synchronization

#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// A lock for what is read on every core all the time, and seldom changed: readers write to no memory that other
/// readers write to, so that they do not slow each other down.
///
/// A reader counts itself in a stripe that it shares with few other threads, and then looks whether somebody writes; a
/// writer says so, and then waits until all stripes are empty. (The idea: the big-reader lock of Linux, and Calciu,
/// Dice, Lev, Luchangco, Marathe and Shavit, "NUMA-aware reader-writer locks", PPoPP 2013.) One lock for each part of a
/// table is no substitute: threads that use different keys share the parts, and take the cache lines of the locks from
/// each other.
///
/// It waits like ``Lock``, and like there no user code runs while it is held, to read or to write, releases of user
/// values included.
@usableFromInline
package struct ReadMostlyLock: ~Copyable, @unchecked Sendable {
    // Sound: the stripes are atomic, lie at one address, and are freed in `deinit`.
    private let stripes: UnsafeMutablePointer<Stripe>
    /// Pairs: sequentially consistent, because two words are involved, a reader's add to `readers` and load of this
    /// with a writer's exchange of this and load of `readers`. What is handed over: the store at the end of the writing
    /// with that load of this, and the subtraction at the end of the reading with that load of `readers`.
    private let isBeingWritten = AtomicValue<Bool>(false)

    private struct Stripe: ~Copyable {
        /// Pairs: see `isBeingWritten`.
        let readers = AtomicValue<Int>(0)
        private let padding = CacheLinePadding()
    }

    /// Several for each core, because threads are assigned to them by chance; a power of two.
    private static let stripeCount: Int = {
        let wanted = 8 * max(1, sysconf(Int32(_SC_NPROCESSORS_ONLN)))
        return min(1 << (Int.bitWidth - (wanted - 1).leadingZeroBitCount), 256)
    }()

    @usableFromInline
    package init() {
        stripes = .allocate(capacity: Self.stripeCount)
        for index in 0..<Self.stripeCount { (stripes + index).initialize(to: Stripe()) }
    }

    deinit {
        stripes.deinitialize(count: Self.stripeCount)
        stripes.deallocate()
    }

    /// Begins to read; waits while somebody writes.
    ///
    /// - Returns: what ``endReading(_:)`` needs.
    @usableFromInline
    package func beginReading() -> Int {
        // Multiplied, because the identities of threads differ in bits in the middle.
        let mixed = UInt64(CurrentThread.identity) &* 0x9E37_79B9_7F4A_7C15
        let index = Int(truncatingIfNeeded: mixed >> 32) & (Self.stripeCount - 1)
        // First the count, and then the look, because a writer does it the other way round: one of both sees the other.
        stripes[index].readers.addSequentiallyConsistent(1)
        if isBeingWritten.loadSequentiallyConsistent() { waitToRead(index) }
        return index
    }

    /// Ends what ``beginReading()`` began.
    @usableFromInline
    package func endReading(_ index: Int) {
        stripes[index].readers.subtractReleasing(1)
    }

    /// Runs `body` while nobody else reads or writes.
    package func withWriting<Result>(_ body: () -> Result) -> Result {
        var backoff = Backoff()
        while isBeingWritten.exchangeSequentiallyConsistent(true) {
            repeat { backoff.pause() } while isBeingWritten.loadRelaxed()
        }
        for index in 0..<Self.stripeCount {
            var backoff = Backoff()
            while stripes[index].readers.loadSequentiallyConsistent() != 0 { backoff.pause() }
        }
        defer { isBeingWritten.storeReleasing(false) }
        return body()
    }

    /// Runs `body` while nobody writes.
    package func withReading<Result>(_ body: () -> Result) -> Result {
        let index = beginReading()
        defer { endReading(index) }
        return body()
    }

    private func waitToRead(_ index: Int) {
        var backoff = Backoff()
        repeat {
            stripes[index].readers.subtractReleasing(1)
            repeat { backoff.pause() } while isBeingWritten.loadRelaxed()
            stripes[index].readers.addSequentiallyConsistent(1)
        } while isBeingWritten.loadSequentiallyConsistent()
    }
}

/// Room between what different threads write, so that they do not take the same cache line from each other.
@usableFromInline
struct CacheLinePadding: Sendable {
    private let words: (UInt64, UInt64, UInt64, UInt64, UInt64, UInt64, UInt64) = (0, 0, 0, 0, 0, 0, 0)

    @usableFromInline
    init() {}
}
