/// The state of a store's turns in one machine word, so that one atomic operation can take or leave a turn.
///
/// A store is always in one of these states:
///
/// | owned | writing | meaning |
/// |---|---|---|
/// | no | no | idle: the state is at rest, and the next caller may own the turn |
/// | yes | yes | a reducer is changing the state, or waits for readers to leave: no reader may start |
/// | yes | no | the owner notifies observers or starts effects: the state is at rest and may be read |
/// | no | yes | never |
///
/// `pending` tells the owner that messages have arrived in the mailbox. Without an owner, it says that the last owner
/// left work behind: the next sender that posts a message, or the task that was started for it, continues. `parked`
/// says that readers sleep until the writing ends. The other bits count readers: *active* ones, which are copying the
/// state, and *waiting* ones, which arrived while it was being written. When the writing ends, all waiting readers
/// become active at once; they see that by `phase`, a bit that flips at that moment. The next writing waits until they
/// have left. So neither side can starve the other: a reader waits for one writing at most, a writer for one generation
/// of readers. (The idea: phase-fair locks, Brandenburg and Anderson, "Spin-based reader-writer synchronization for
/// multiprocessor real-time systems", 2010.)
///
/// Invariants: writing implies owned; waiting readers and `parked` imply writing.
///
/// This type contains only the transitions; ``TurnGate`` applies them atomically.
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

    /// Taken for writing; nil unless it is idle, without pending work and readers.
    @inlinable var takenIfIdle: TurnWord? {
        bits & ~Self.phaseBit == 0 ? TurnWord(bits: bits | Self.ownedBit | Self.writingBit) : nil
    }

    /// Taken without writing; nil if it is owned, or work is pending.
    @inlinable var takenIfQuiet: TurnWord? {
        isOwned || isPending ? nil : TurnWord(bits: bits | Self.ownedBit)
    }

    /// Left after writing; nil if a message or a reader has arrived meanwhile.
    @inlinable var leftIfUndisturbed: TurnWord? {
        bits & ~Self.phaseBit == Self.ownedBit | Self.writingBit ? TurnWord(bits: phase) : nil
    }

    /// Left by an owner that is not writing; nil if messages have arrived that it must process first.
    @inlinable var leftUnlessPending: TurnWord? {
        isPending ? nil : TurnWord(bits: bits & ~Self.ownedBit)
    }

    /// Left by an owner that is not writing, with work for another owner to continue.
    @inlinable var leftForOthers: TurnWord {
        TurnWord(bits: (bits & ~Self.ownedBit) | Self.pendingBit)
    }

    /// Taken over to continue what an earlier owner left; nil if nothing is left or the turn is owned.
    @inlinable var takenOver: TurnWord? {
        isPending && !isOwned ? TurnWord(bits: bits | Self.ownedBit) : nil
    }

    /// The state after the writing, in which waiting readers may read.
    @inlinable var withWritingEnded: TurnWord {
        let rest = bits & ~(Self.writingBit | Self.parkedBit)
        guard waitingReaders > 0 else { return TurnWord(bits: rest) }
        let waiting = waitingReaders
        return TurnWord(
            bits: (rest - waiting * Self.oneWaitingReader + waiting * Self.oneActiveReader) ^ Self.phaseBit
        )
    }

    // MARK: Reading

    /// With one more reader: an active one, or a waiting one while the state is being written.
    @inlinable var withOneMoreReader: TurnWord {
        TurnWord(bits: bits + (isWriting ? Self.oneWaitingReader : Self.oneActiveReader))
    }

    /// With one more active reader; nil if the turn is owned or work is pending.
    @inlinable var withOneMoreReaderIfQuiet: TurnWord? {
        isOwned || isPending ? nil : TurnWord(bits: bits + Self.oneActiveReader)
    }

    /// With a parked reader that arrived in `phase`; nil if that reader has become active meanwhile.
    @inlinable
    func withParkedReader(of phase: UInt64) -> TurnWord? {
        self.phase == phase ? TurnWord(bits: bits | Self.parkedBit) : nil
    }
}
