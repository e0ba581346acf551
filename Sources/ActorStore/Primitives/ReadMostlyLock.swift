import Synchronization

#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// A lock for values that are read constantly on every core, and seldom changed. Readers write to no memory that other
/// readers write to, so they do not slow each other down.
///
/// A reader increments a counter in a stripe that it shares with few other threads, and then checks for a writer. A
/// writer sets a flag, and then waits until all stripes are zero. (The idea: the big-reader lock of Linux, and Calciu,
/// Dice, Lev, Luchangco, Marathe and Shavit, "NUMA-aware reader-writer locks", PPoPP 2013.) One lock for each part of a
/// table is not a substitute: threads that use different keys share the parts, and contend for the cache lines of the
/// locks.
///
/// A waiting thread spins, yields its core, and then sleeps briefly, also on Darwin: no lock of the system has many
/// readers that do not slow each other down. No user code may run while it is held, to read or to write, including
/// releases of user values.
@usableFromInline
package struct ReadMostlyLock: ~Copyable, @unchecked Sendable {
    // Sound: the stripes are atomic, stay at one address, and are freed in `deinit`.
    private let stripes: UnsafeMutablePointer<Stripe>
    /// Pairs: sequentially consistent, because two words are involved: a reader's add to `readers` and load of this
    /// flag with a writer's exchange of this flag and load of `readers`. Handed over: from the store at the end of the
    /// write to that load of this flag, and from the subtraction at the end of the read to that load of `readers`.
    private let isBeingWritten = AtomicValue<Bool>(false)

    private struct Stripe: ~Copyable {
        /// Pairs: see `isBeingWritten`.
        let readers = AtomicValue<Int>(0)
        private let padding = CacheLinePadding()
    }

    /// Several for each core, because threads are assigned to them at random; a power of two.
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

    /// Starts reading. Waits while another thread writes.
    ///
    /// - Returns: The argument of ``endReading(_:)``.
    @usableFromInline
    package func beginReading() -> Int {
        // Multiplied, because the identities of threads differ in their middle bits.
        let mixed = UInt64(CurrentThread.identity) &* 0x9E37_79B9_7F4A_7C15
        let index = Int(truncatingIfNeeded: mixed >> 32) & (Self.stripeCount - 1)
        // Counts first, then checks for a writer; a writer does the opposite. So at least one of the two sees the
        // other.
        stripes[index].readers.addSequentiallyConsistent(1)
        if isBeingWritten.loadSequentiallyConsistent() { waitToRead(index) }
        return index
    }

    /// Ends a read that ``beginReading()`` started.
    @usableFromInline
    package func endReading(_ index: Int) {
        stripes[index].readers.subtractReleasing(1)
    }

    /// Runs `body` while no other thread reads or writes.
    ///
    /// - Complexity: O(*n*), where *n* is the number of stripes.
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

    /// Runs `body` while no other thread writes.
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

/// Padding between values that different threads write, so that they do not share a cache line.
@usableFromInline
struct CacheLinePadding: Sendable {
    private let words: (UInt64, UInt64, UInt64, UInt64, UInt64, UInt64, UInt64) = (0, 0, 0, 0, 0, 0, 0)

    @usableFromInline
    init() {}
}
