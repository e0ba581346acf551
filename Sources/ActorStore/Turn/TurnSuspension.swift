import Synchronization

/// Keeps a store from reducing while observers that must not miss anything have no room.
///
/// Each full buffer is a hold. An owner of the turn who finds a hold leaves the turn without giving it up: it is *parked*,
/// belongs to nobody, and everything that comes waits in the mailbox. Whoever releases the last hold gives a parked turn
/// back.
@usableFromInline
final class TurnSuspension: Sendable {
    // Bit 0: the turn is parked. Bit 1: holds no longer count. The rest: the number of holds.
    private static let parkedBit = 1
    private static let liftedBit = 2
    private static let oneHold = 4
    private let word = AtomicValue<Int>(0)
    private let giveBack: @Sendable () -> Void

    /// - Parameter giveBack: called when the turn was parked and is to go on, by one who may own it from then on.
    init(giveBack: @escaping @Sendable () -> Void) {
        self.giveBack = giveBack
    }

    /// Whether an owner of the turn should leave it parked.
    @usableFromInline
    var isHeld: Bool {
        let bits = word.loadRelaxed()
        return bits & Self.liftedBit == 0 && bits >= Self.oneHold
    }

    /// In the turn: a buffer has become full.
    func hold() { word.addAcquiringAndReleasing(Self.oneHold) }

    /// In the turn: parks it, if there are holds.
    ///
    /// - Returns: whether it is parked; then the caller no longer owns it.
    @usableFromInline
    func parkIfHeld() -> Bool {
        update { bits in
            bits & Self.liftedBit == 0 && bits >= Self.oneHold ? bits | Self.parkedBit : nil
        } != nil
    }

    /// A full buffer has room again, or is gone.
    func release() {
        go { $0 - Self.oneHold }
    }

    /// From now on holds do not count, because the store is being shut down.
    func lift() {
        go { $0 | Self.liftedBit }
    }

    private func go(_ change: (Int) -> Int) {
        let applied = update { bits in
            let changed = change(bits)
            let isHeld = changed & Self.liftedBit == 0 && changed >= Self.oneHold
            return isHeld ? changed : changed & ~Self.parkedBit
        }
        if let change = applied, change.before & Self.parkedBit != 0, change.after & Self.parkedBit == 0 { giveBack() }
    }

    /// - Returns: the word before and after, or nil if it was not changed.
    private func update(_ transition: (Int) -> Int?) -> (before: Int, after: Int)? {
        var seen = word.loadRelaxed()
        while let new = transition(seen) {
            let (exchanged, original) = word.compareExchangeAcquiringAndReleasing(
                expected: seen,
                desired: new
            )
            if exchanged { return (seen, new) }
            seen = original
        }
        return nil
    }
}
