/// The state of a store's turns in one machine word, so that one atomic operation can take or leave a turn.
///
/// A store is always in one of these situations:
///
/// | owned | writing | meaning |
/// |---|---|---|
/// | no | no | idle: the state is at rest, whoever comes next may own the turn |
/// | yes | yes | a reducer is changing the state: nobody else may look at it |
/// | yes | no | the owner notifies, or starts effects: the state is at rest and may be read |
/// | no | yes | never |
///
/// `pending` tells the owner that the mailbox has news, `parked` that readers sleep until the writing ends, and the
/// rest of the word counts readers that are copying the state at this moment. This type is the table of transitions
/// alone; ``TurnGate`` applies them atomically.
@usableFromInline
struct TurnWord: Equatable, Sendable {
    @usableFromInline var bits: UInt

    @inlinable
    init(bits: UInt) { self.bits = bits }

    @inlinable static var ownedBit: UInt { 1 }
    @inlinable static var pendingBit: UInt { 2 }
    @inlinable static var writingBit: UInt { 4 }
    @inlinable static var parkedBit: UInt { 8 }
    @inlinable static var oneReader: UInt { 16 }

    /// Nobody owns the turn and nobody reads.
    @inlinable static var idle: TurnWord { TurnWord(bits: 0) }
    /// The owner changes the state, and nothing else is going on.
    @inlinable static var writing: TurnWord { TurnWord(bits: ownedBit | writingBit) }

    @inlinable var isOwned: Bool { bits & Self.ownedBit != 0 }
    @inlinable var isPending: Bool { bits & Self.pendingBit != 0 }
    @inlinable var isWriting: Bool { bits & Self.writingBit != 0 }
    @inlinable var hasParked: Bool { bits & Self.parkedBit != 0 }
    @inlinable var readers: UInt { bits / Self.oneReader }

    /// The word after an idle store was taken for writing, or nil when it is owned already.
    @inlinable var takenForWriting: TurnWord? {
        isOwned ? nil : TurnWord(bits: bits | Self.ownedBit | Self.writingBit)
    }

    /// The word after the owner left, or nil when the mailbox has news that it must see to first.
    @inlinable var released: TurnWord? {
        isPending ? nil : TurnWord(bits: bits & ~(Self.ownedBit | Self.writingBit))
    }

    /// The word after one more reader came, or nil while the state is being changed.
    @inlinable var withOneMoreReader: TurnWord? {
        isWriting ? nil : TurnWord(bits: bits + Self.oneReader)
    }

    /// The word after one more reader came to a store where nothing is going on or waiting, or nil otherwise.
    @inlinable var withOneMoreReaderWhenQuiet: TurnWord? {
        isOwned || isPending ? nil : TurnWord(bits: bits + Self.oneReader)
    }
}
