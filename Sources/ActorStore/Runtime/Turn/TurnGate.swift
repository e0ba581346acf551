import Synchronization

/// Lets one thread at a time own a store's turn, and lets readers look at the state whenever it is at rest.
///
/// This is the lock of a combining queue (Hendler, Incze, Shavit and Tzafrir, "Flat combining and the
/// synchronization-parallelism tradeoff", SPAA 2010). A thread that finds the store idle does its work on the spot. Any
/// other thread leaves its work in the mailbox and sets the pending bit, and the owner does that work before it leaves.
/// So no thread ever waits for a turn, and an idle store is served without a switch of threads.
///
/// The transitions are those of ``TurnWord``.
@usableFromInline
struct TurnGate: ~Copyable, Sendable {
    /// A ``TurnWord``. Many threads write it, so that it has a cache line for itself and for what is read and written
    /// with it.
    ///
    /// Pairs: all read-modify-writes with each other. ``update(_:)``, ``announce()`` and ``acknowledge()`` acquire and
    /// release; beside the others stands why they need less.
    @usableFromInline let word = AtomicValue<UInt64>(0)
    /// The thread that is inside a turn, or 0.
    @usableFromInline let ownerThread = AtomicValue<UInt>(0)
    /// Where readers sleep; created by the first one that does.
    ///
    /// Pairs: stored before the reader sets the `parked` bit, and loaded after the owner has cleared it.
    private let readersMayGo = LazyReference<Condition>()
    /// The rest of the cache line.
    private let padding: (UInt64, UInt64, UInt64, UInt64, UInt64) = (0, 0, 0, 0, 0)

    @usableFromInline
    init() {}

    @inlinable var current: TurnWord { TurnWord(bits: word.loadRelaxed()) }

    /// Replaces the word with the result of `transition`, unless that is `nil`.
    ///
    /// `nil` can result from an old word, because the first load is relaxed. A caller that decides by `nil` must not
    /// depend on having written another word before, unless by a read-modify-write that the other side reads.
    ///
    /// - Returns: The word before, and whether it was replaced.
    @inlinable
    @inline(__always)
    func update(_ transition: (TurnWord) -> TurnWord?) -> (before: TurnWord, isUpdated: Bool) {
        var seen = word.loadRelaxed()
        while let new = transition(TurnWord(bits: seen)) {
            let (exchanged, original) = word.compareExchangeAcquiringAndReleasing(
                expected: seen,
                desired: new.bits
            )
            if exchanged { return (TurnWord(bits: seen), true) }
            seen = original
        }
        return (TurnWord(bits: seen), false)
    }

    // MARK: Owning

    /// Takes the turn for writing if nothing at all is going on; the fast way in.
    ///
    /// - Returns: Whether the turn was taken; `false` also if this thread is in a reducer of another store.
    @inlinable
    @inline(__always)
    func beginIfIdle() -> Bool {
        guard !CurrentThread.isWriting, update({ $0.takenIfIdle }).isUpdated else { return false }
        CurrentThread.isWriting = true
        becomeOwner()
        return true
    }

    /// Takes the turn without writing, if it is free and nothing waits to be done.
    ///
    /// - Returns: Whether the turn was taken; `false` also if this thread is in a reducer of another store.
    @usableFromInline
    func beginIfQuiet() -> Bool {
        guard !CurrentThread.isWriting, update({ $0.takenIfQuiet }).isUpdated else { return false }
        becomeOwner()
        return true
    }

    /// Takes the turn of a store that is being created, without writing.
    func beginNew() {
        guard update({ $0.takenIfIdle?.withWritingEnded }).isUpdated else {
            preconditionFailure("Internal inconsistency: a store was used before its initialisation finished.")
        }
        becomeOwner()
    }

    /// Takes the turn for writing if it is left within about a microsecond. Most turns are far shorter than a switch of
    /// tasks, so that it pays to check a few times before suspending.
    ///
    /// - Returns: Whether the turn was taken; `false` also if this thread would wait for itself, or for messages that
    ///   are read before its own.
    @usableFromInline
    func beginSoon() -> Bool {
        guard !isOwnedByThisThread else { return false }
        var backoff = Backoff()
        while backoff.isSpinning, !current.isPending {
            backoff.pause()
            if beginIfIdle() { return true }
        }
        return false
    }

    /// Leaves the turn taken by ``beginIfIdle()`` if no other thread came meanwhile; the fast way out.
    @inlinable
    @inline(__always)
    func endIfUndisturbed() -> Bool {
        withdrawOwner()
        if update({ $0.leftIfUndisturbed }).isUpdated {
            CurrentThread.isWriting = false
            return true
        }
        becomeOwner()
        return false
    }

    /// Announces a message to the owner. The caller has put it into the mailbox, under the mailbox's lock.
    ///
    /// - Returns: Whether the turn was free. The caller then owns it, without writing, and must drain the mailbox.
    @inlinable
    func announce() -> Bool {
        // If the bit is already set, the owner, if there is one, has yet to look: it clears the bit before it takes the
        // lock of the mailbox, which the caller has held since. So a bit that was cleared before the message came would
        // be seen as cleared.
        let seen = current
        if seen.isPending && seen.isOwned { return false }
        let news = TurnWord.pendingBit | TurnWord.ownedBit
        let before = TurnWord(bits: word.bitwiseOrAcquiringAndReleasing(news).oldValue)
        guard !before.isOwned else { return false }
        becomeOwner()
        return true
    }

    /// Records that the owner is about to look into the mailbox.
    @inlinable
    func acknowledge() {
        // Pairs with the look of `announce`, by the lock of the mailbox: this comes before the messages are taken, or
        // under the same lock. So a message that comes too late to be taken finds the bit cleared.
        word.bitwiseAndAcquiringAndReleasing(~TurnWord.pendingBit)
    }

    /// Leaves the turn, unless a message was announced. The owner must not be writing.
    @inlinable
    func endUnlessPending() -> Bool {
        withdrawOwner()
        if update({ $0.leftUnlessPending }).isUpdated { return true }
        becomeOwner()
        return false
    }

    /// Leaves the turn although there is more to do. The owner must not be writing.
    @inlinable
    func leaveForOthers() {
        withdrawOwner()
        _ = update { $0.leftForOthers }
    }

    /// Takes the turn to continue where another owner has left, unless it is owned, or there is nothing to continue.
    @inlinable
    func takeOver() -> Bool {
        guard update({ $0.takenOver }).isUpdated else { return false }
        becomeOwner()
        return true
    }

    /// Marks this thread as the one inside the turn.
    @inlinable
    @inline(__always)
    func becomeOwner() {
        ownerThread.storeRelaxed(CurrentThread.identity)
    }

    /// Marks that no thread is inside the turn, before it is left.
    @inlinable
    @inline(__always)
    func withdrawOwner() {
        ownerThread.storeRelaxed(0)
    }

    /// Whether the calling thread is inside a turn of this store.
    @inlinable var isOwnedByThisThread: Bool {
        ownerThread.loadRelaxed() == CurrentThread.identity
    }

    // MARK: Writing

    /// Keeps readers away from the state; returns once the last one has left. The caller owns the turn.
    @inlinable
    func beginWriting() {
        CurrentThread.isWriting = true
        // Pairs with `endReading`. It need not release: readers wait for `endWriting`.
        let before = TurnWord(bits: word.bitwiseOrAcquiring(TurnWord.writingBit).oldValue)
        if before.activeReaders > 0 { waitForReaders() }
    }

    /// Admits readers to the state.
    @usableFromInline
    func endWriting() {
        let before = update { $0.withWritingEnded }.before
        CurrentThread.isWriting = false
        if before.hasParkedReaders { readersMayGo.load()?.wakeAll() }
    }

    /// Whether readers wait until the owner stops writing. An owner with more to write admits them first.
    @inlinable var hasWaitingReaders: Bool { current.waitingReaders > 0 }

    /// Waits for the active readers. They copy a state and leave, so that this takes nanoseconds, unless one of them
    /// was preempted.
    @usableFromInline
    func waitForReaders() {
        var backoff = Backoff()
        // Pairs with `endReading`.
        while TurnWord(bits: word.loadAcquiring()).activeReaders > 0 { backoff.pause() }
    }

    // MARK: Reading

    /// Begins to read the state; waits while it is being written.
    ///
    /// Traps if the calling thread is in a reducer: in one of this store, which would wait for itself, or in one of
    /// another store, unless that reducer is creating this store.
    @inlinable
    func beginReading() {
        if CurrentThread.isWriting && !isBeingMadeHere { refuseReading() }
        let before = update { $0.withOneMoreReader }.before
        if before.isWriting { waitUntilActive(since: before.phase) }
    }

    /// Begins to read the state if every action that was accepted before has been reduced.
    ///
    /// - Returns: Whether reading has begun.
    @inlinable
    func beginReadingIfQuiet() -> Bool {
        !CurrentThread.isWriting && update { $0.withOneMoreReaderIfQuiet }.isUpdated
    }

    /// Ends what ``beginReading()`` or ``beginReadingIfQuiet()`` began.
    @inlinable
    func endReading() {
        // Pairs with `beginWriting` and `waitForReaders`. It need not acquire: the reader looks at nothing more.
        word.subtractReleasing(TurnWord.oneActiveReader)
    }

    /// Waits until the writing that kept out a reader of this phase has ended.
    @usableFromInline
    func waitUntilActive(since phase: UInt64) {
        var backoff = Backoff()
        // Pairs with `endWriting`.
        while TurnWord(bits: word.loadAcquiring()).phase == phase {
            if backoff.isPatient {
                backoff.pause()
            } else {
                // The bit is set with the condition's mutex held, and the owner wakes with it held after it has cleared
                // the bit, so that the wake-up cannot fall between the look and the sleep.
                let condition = readersMayGo.load() ?? readersMayGo.storeIfNil(Condition())
                condition.wait { update { $0.withParkedReader(of: phase) }.isUpdated }
            }
        }
    }

    /// Whether this thread is creating the store in a reducer of another one. Nothing writes then, so there is nothing
    /// to wait for.
    @usableFromInline var isBeingMadeHere: Bool {
        CurrentThread.makesStore && isOwnedByThisThread && !current.isWriting
    }

    /// Traps, because a reducer reads a snapshot.
    @usableFromInline
    @inline(never)
    func refuseReading() -> Never {
        if isOwnedByThisThread {
            fatalError(
                """
                A reducer read the snapshot of its own store, which it is changing at this moment. \
                Use the `state` parameter of the reducer.
                """
            )
        }
        fatalError(
            """
            A reducer, or an interceptor in the middle of a batch, read the snapshot of another store. Two stores that \
            read each other in this way would deadlock. Put what the reducer needs into the action, or read \
            it in an effect.
            """
        )
    }
}
