import Synchronization

/// Lets one thread at a time own a store's turn, and readers look at the state whenever it is at rest.
///
/// This is the lock of a combining queue (Hendler, Incze, Shavit and Tzafrir, "Flat combining and the
/// synchronization-parallelism tradeoff", SPAA 2010): a thread that finds the store idle does its work on the spot; one
/// that does not leaves the work in the mailbox and raises the pending bit, and the owner does it before it leaves.
/// So nobody ever waits for a turn, and an idle store is served without a switch of threads.
///
/// The transitions are those of ``TurnWord``.
@usableFromInline
struct TurnGate: ~Copyable, Sendable {
    /// A ``TurnWord``. Many threads write it, so that it has a cache line for itself.
    @usableFromInline let word = Atomic<UInt>(0)
    private let padding = CacheLinePadding()
    /// The thread that is inside a turn, or 0. It only serves to recognise a reducer that reads its own store.
    @usableFromInline let ownerThread = Atomic<UInt>(0)
    private let writingEnded = Condition()

    @usableFromInline
    init() {}

    // MARK: Owning

    /// Takes the turn for writing if nothing at all is going on; the fast way in.
    @inlinable
    @inline(__always)
    func beginIfIdle() -> Bool {
        guard
            word.compareExchange(
                expected: TurnWord.idle.bits,
                desired: TurnWord.writing.bits,
                ordering: .acquiring
            ).exchanged
        else { return false }
        ownerThread.store(CurrentThread.identity, ordering: .relaxed)
        return true
    }

    /// Leaves the turn taken by ``beginIfIdle()`` if nothing happened meanwhile; the fast way out.
    @inlinable
    @inline(__always)
    func endIfUndisturbed() -> Bool {
        ownerThread.store(0, ordering: .relaxed)
        if word.compareExchange(
            expected: TurnWord.writing.bits,
            desired: TurnWord.idle.bits,
            ordering: .releasing
        ).exchanged {
            return true
        }
        ownerThread.store(CurrentThread.identity, ordering: .relaxed)
        return false
    }

    /// Takes the turn for writing unless it is owned, and waits for readers that are copying the state.
    @usableFromInline
    func beginUnlessOwned() -> Bool {
        var seen = word.load(ordering: .relaxed)
        while let taken = TurnWord(bits: seen).takenForWriting {
            let (exchanged, original) = word.compareExchange(
                expected: seen,
                desired: taken.bits,
                ordering: .acquiring
            )
            if exchanged {
                becomeOwner()
                waitForReaders()
                return true
            }
            seen = original
        }
        return false
    }

    /// Tells the owner that the mailbox has news. The caller has put a letter into it, under its lock.
    ///
    /// - Returns: true if nobody owned the turn: then the caller owns it now, not writing, and must drain the mailbox.
    @inlinable
    func announce() -> Bool {
        // If the bit is up already the owner has yet to look: it takes the bit down before it takes the lock of the
        // mailbox, which the caller has held since, so that a bit taken down before the letter came would be seen down.
        if TurnWord(bits: word.load(ordering: .relaxed)).isPending { return false }
        let news = TurnWord.pendingBit | TurnWord.ownedBit
        let before = word.bitwiseOr(news, ordering: .acquiringAndReleasing).oldValue
        guard !TurnWord(bits: before).isOwned else { return false }
        becomeOwner()
        return true
    }

    /// Marks this thread as the one inside the turn; for an owner that continues on another thread.
    @inlinable
    func becomeOwner() {
        ownerThread.store(CurrentThread.identity, ordering: .relaxed)
    }

    /// Keeps the turn owned while no thread is inside; the owner continues elsewhere.
    @inlinable
    func suspendOwnership() {
        ownerThread.store(0, ordering: .relaxed)
    }

    /// Whether the calling thread is inside a turn of this store.
    @inlinable var isOwnedByThisThread: Bool {
        ownerThread.load(ordering: .relaxed) == CurrentThread.identity
    }

    /// Takes note that the owner is about to look into the mailbox.
    @inlinable
    func acknowledge() {
        word.bitwiseAnd(~TurnWord.pendingBit, ordering: .acquiringAndReleasing)
    }

    /// Leaves the turn, unless the mailbox has news. The owner must not be writing.
    @inlinable
    func endUnlessPending() -> Bool {
        ownerThread.store(0, ordering: .relaxed)
        var seen = word.load(ordering: .relaxed)
        while let released = TurnWord(bits: seen).released {
            let (exchanged, original) = word.compareExchange(
                expected: seen,
                desired: released.bits,
                ordering: .releasing
            )
            if exchanged { return true }
            seen = original
        }
        becomeOwner()
        return false
    }

    // MARK: Writing

    /// Keeps readers away from the state; returns when the last one has left. The caller owns the turn.
    @inlinable
    func beginWriting() {
        let before = TurnWord(bits: word.bitwiseOr(TurnWord.writingBit, ordering: .acquiring).oldValue)
        if before.readers > 0 { waitForReaders() }
    }

    /// Lets readers at the state.
    @usableFromInline
    func endWriting() {
        let before = TurnWord(
            bits: word.bitwiseAnd(~(TurnWord.writingBit | TurnWord.parkedBit), ordering: .acquiringAndReleasing)
                .oldValue
        )
        if before.hasParked { writingEnded.wakeAll() }
    }

    /// Whether readers sleep until the owner stops writing. A hint for an owner with more to do.
    @inlinable var hasWaitingReaders: Bool { TurnWord(bits: word.load(ordering: .relaxed)).hasParked }

    /// Readers copy a state and go, so this is a matter of nanoseconds unless one of them was put off its core.
    @usableFromInline
    func waitForReaders() {
        var backoff = Backoff()
        while TurnWord(bits: word.load(ordering: .acquiring)).readers > 0 { backoff.pause() }
    }

    // MARK: Reading

    /// Begins to read the state; waits while a reducer is changing it, for at most the rest of that action.
    ///
    /// Traps when it is the calling thread's own reducer that is changing it: it would wait for itself.
    @inlinable
    func beginReading() {
        let seen = word.load(ordering: .relaxed)
        if let reading = TurnWord(bits: seen).withOneMoreReader,
            word.compareExchange(expected: seen, desired: reading.bits, ordering: .acquiring).exchanged
        {
            return
        }
        beginReadingSlowly()
    }

    /// Begins to read the state if every action that was accepted before has been reduced.
    @inlinable
    func beginReadingIfQuiet() -> Bool {
        var seen = word.load(ordering: .relaxed)
        while let reading = TurnWord(bits: seen).withOneMoreReaderWhenQuiet {
            let (exchanged, original) = word.compareExchange(
                expected: seen,
                desired: reading.bits,
                ordering: .acquiring
            )
            if exchanged { return true }
            seen = original
        }
        return false
    }

    /// Ends what ``beginReading()`` or ``beginReadingIfQuiet()`` began.
    @inlinable
    func endReading() {
        word.subtract(TurnWord.oneReader, ordering: .releasing)
    }

    @usableFromInline
    func beginReadingSlowly() {
        var backoff = Backoff()
        while true {
            let seen = word.load(ordering: .relaxed)
            if let reading = TurnWord(bits: seen).withOneMoreReader {
                if word.compareExchange(expected: seen, desired: reading.bits, ordering: .acquiring).exchanged {
                    return
                }
                continue
            }
            precondition(
                !isOwnedByThisThread,
                """
                A reducer read the snapshot of its own store, which it is changing at this moment. \
                Use the `state` parameter that the reducer was given.
                """
            )
            if backoff.isPatient { backoff.pause() } else { parkUntilWritingEnds() }
        }
    }

    private func parkUntilWritingEnds() {
        // The bit is raised with the condition's mutex held, and the owner wakes with it held after it took the bit
        // down, so the wake-up cannot fall between the look and the sleep. A bit that stays up although nobody sleeps
        // only costs the next owner one look.
        writingEnded.wait {
            TurnWord(bits: word.bitwiseOr(TurnWord.parkedBit, ordering: .acquiringAndReleasing).oldValue).isWriting
        }
    }
}
