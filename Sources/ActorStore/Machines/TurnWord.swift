/// The state of a store's turns in one machine word, so that one atomic operation can take or leave a turn.
///
/// A store is always in one of these situations:
///
/// | owned | writing | meaning |
/// |---|---|---|
/// | no | no | idle: the state is at rest, whoever comes next may own the turn |
/// | yes | yes | a reducer is changing the state, or waits for readers to leave: nobody else may begin to look at it |
/// | yes | no | the owner notifies, or starts effects: the state is at rest and may be read |
/// | no | yes | never |
///
/// `pending` tells the owner that the mailbox has news. Without an owner it tells that one has left although there was
/// more to do: then the next one who puts a message into the mailbox, or the task that was told to, goes on with it.
/// `parked` tells that readers sleep until the writing ends. The rest counts readers: *active* ones, who are copying
/// the state at this moment, and *waiting* ones, who came while it was being written. When the writing ends all waiting
/// readers become active at once, which they learn from `phase`, a bit that flips with that; the next writing waits
/// until they have left. So neither side can starve the other: a reader waits for one writing at most, a writer for one
/// generation of readers. (The idea: phase-fair locks, Brandenburg and Anderson, "Spin-based reader-writer
/// synchronization for multiprocessor real-time systems", 2010.)
///
/// Invariants: writing implies owned; waiting readers and `parked` imply writing.
///
/// This type is the table of transitions alone; ``TurnGate`` applies them atomically.
@usableFromInline
struct TurnWord: Equatable, Sendable {
    @usableFromInline let bits: UInt64

    @inlinable
    init(bits: UInt64) { self.bits = bits }

    @inlinable static var ownedBit: UInt64 { 1 }
    @inlinable static var pendingBit: UInt64 { 1 << 1 }
    @inlinable static var writingBit: UInt64 { 1 << 2 }
    @inlinable static var parkedBit: UInt64 { 1 << 3 }
    @inlinable static var phaseBit: UInt64 { 1 << 4 }
    @inlinable static var oneWaitingReader: UInt64 { 1 << 8 }
    @inlinable static var oneActiveReader: UInt64 { 1 << 36 }

    @inlinable var isOwned: Bool { bits & Self.ownedBit != 0 }
    @inlinable var isPending: Bool { bits & Self.pendingBit != 0 }
    @inlinable var isWriting: Bool { bits & Self.writingBit != 0 }
    @inlinable var hasParkedReaders: Bool { bits & Self.parkedBit != 0 }
    @inlinable var phase: UInt64 { bits & Self.phaseBit }
    @inlinable var activeReaders: UInt64 { bits / Self.oneActiveReader }
    @inlinable var waitingReaders: UInt64 { bits % Self.oneActiveReader / Self.oneWaitingReader }

    // MARK: Owning

    /// Taken for writing, or nil unless nothing at all is going on.
    @inlinable var takenIfIdle: TurnWord? {
        bits & ~Self.phaseBit == 0 ? TurnWord(bits: bits | Self.ownedBit | Self.writingBit) : nil
    }

    /// Taken without writing, or nil if it is owned, or anything waits to be done.
    @inlinable var takenIfQuiet: TurnWord? {
        isOwned || isPending ? nil : TurnWord(bits: bits | Self.ownedBit)
    }

    /// Left again, or nil if anybody came meanwhile.
    @inlinable var leftIfUndisturbed: TurnWord? {
        bits & ~Self.phaseBit == Self.ownedBit | Self.writingBit ? TurnWord(bits: phase) : nil
    }

    /// Left by an owner who is not writing, or nil if the mailbox has news that must be seen to first.
    @inlinable var leftUnlessPending: TurnWord? {
        isPending ? nil : TurnWord(bits: bits & ~Self.ownedBit)
    }

    /// Left by an owner who is not writing, for another one to go on.
    @inlinable var leftForOthers: TurnWord {
        TurnWord(bits: (bits & ~Self.ownedBit) | Self.pendingBit)
    }

    /// Owned by one who goes on where another one has left, or nil if there is nothing to go on with.
    @inlinable var takenOver: TurnWord? {
        isPending && !isOwned ? TurnWord(bits: bits | Self.ownedBit) : nil
    }

    /// The writing is over: those who waited may read.
    @inlinable var withWritingEnded: TurnWord {
        let rest = bits & ~(Self.writingBit | Self.parkedBit)
        guard waitingReaders > 0 else { return TurnWord(bits: rest) }
        let waiting = waitingReaders
        return TurnWord(
            bits: (rest - waiting * Self.oneWaitingReader + waiting * Self.oneActiveReader) ^ Self.phaseBit
        )
    }

    // MARK: Reading

    /// One more reader: an active one, or a waiting one while the state is being written.
    @inlinable var withOneMoreReader: TurnWord {
        TurnWord(bits: bits + (isWriting ? Self.oneWaitingReader : Self.oneActiveReader))
    }

    /// One more active reader, or nil if anything is being done or waits to be done.
    @inlinable var withOneMoreReaderIfQuiet: TurnWord? {
        isOwned || isPending ? nil : TurnWord(bits: bits + Self.oneActiveReader)
    }

    /// With a reader asleep that came in `phase`, or nil if it has become active meanwhile.
    @inlinable
    func withParkedReader(of phase: UInt64) -> TurnWord? {
        self.phase == phase ? TurnWord(bits: bits | Self.parkedBit) : nil
    }
}
