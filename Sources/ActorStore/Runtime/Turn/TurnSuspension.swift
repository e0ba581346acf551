import Synchronization

extension TreeRoot {
    /// Made when the first observer comes who can suspend the store.
    final func makeSuspension() -> TurnSuspension {
        let suspension =
            sharedSuspension.load() ?? sharedSuspension.storeIfNil(TurnSuspension { [weak self] in self?.goOn() })
        // Who closes the mailbox looks for a suspension afterwards, so that one of both sees the other.
        if isClosed { suspension.lift() }
        return suspension
    }

    /// Leaves the turn parked if an observer has no room. The caller owns the turn and does not write.
    ///
    /// - Returns: whether it did; then the turn is no longer the caller's.
    @inlinable
    @inline(__always)
    final func parkIfSuspended() -> Bool {
        extras.contains(.suspension) && parkIfHeld()
    }

    @usableFromInline
    final func parkIfHeld() -> Bool {
        guard let suspension = sharedSuspension.load(), suspension.isHeld else { return false }
        gate.withdrawOwner()
        while suspension.parkIfHeld() {
            guard suspension.takeBackIfUrgent() else { return true }
            gate.becomeOwner()
            runUrgentTasks()
            let work = takeDeferredWork()
            gate.withdrawOwner()
            // Not put back: nobody might pass the turn on for long.
            if let work { runInBackground { work.perform(for: self) } }
        }
        gate.becomeOwner()
        return false
    }

    /// Does what is to be done in a turn even if an observer suspends the store. The caller owns the turn.
    @usableFromInline
    final func runUrgentTasks() {
        guard let suspension = sharedSuspension.load() else { return }
        let tasks = suspension.takeUrgent()
        guard !tasks.isEmpty else { return }
        endWriting()
        inCleanContext { for task in tasks { task.run() } }
    }
}

/// Keeps a store from reducing while observers that must not miss anything have no room.
///
/// Each full buffer is a hold. An owner of the turn who finds a hold leaves the turn without giving it up: it is
/// *parked*, belongs to nobody, and everything that comes waits in the mailbox. Whoever releases the last hold gives a
/// parked turn back.
@usableFromInline
final class TurnSuspension: @unchecked Sendable {
    // Sound: `urgent` is touched only under `lock`; everything else is constant or atomic.

    // Bit 0: the turn is parked. Bit 1: holds no longer count. The rest: the number of holds.
    private static let parkedBit = 1
    private static let liftedBit = 2
    private static let oneHold = 4
    // Pairs: all changes, which are read-modify-writes, with each other: the one that takes the parked bit down sees
    // what the owner wrote before parking. `addUrgent` and the owner pair by `lock`. `isHeld` may be relaxed: holds are
    // added in the turn, and an old one costs a look.
    private let word = AtomicValue<Int>(0)
    private let lock = Lock()
    /// What is to be done in a turn even if that is parked.
    private var urgent = SuspensionQueue<OnceInTurn>()
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

    /// Has `task` done by the owner of the turn after parking it, or by the caller if it is parked.
    ///
    /// - Returns: Whether the turn was parked; then the caller owns it, and has to do it.
    func addUrgent(_ task: OnceInTurn) -> Bool {
        // First the task, then the look; an owner parks first, and then looks for tasks. Both look under the lock, or
        // after it, so that of the two the later one sees the other.
        lock.withLock { task.key = urgent.append(task) }
        return takeParked()
    }

    /// Takes out what is to be done now.
    func takeUrgent() -> [OnceInTurn] {
        lock.withLock { urgent.removeAll() }
    }

    /// Takes out a task that is done in another way.
    func remove(_ task: OnceInTurn) {
        // Whatever is taken out is released after the lock.
        _ = lock.withLock { task.key.flatMap { urgent.remove($0) } }
    }

    /// Takes a parked turn, although observers have no room.
    ///
    /// - Returns: Whether it was parked; then the caller owns it.
    private func takeParked() -> Bool {
        update { bits in bits & Self.parkedBit != 0 ? bits & ~Self.parkedBit : nil } != nil
    }

    /// Takes the turn back after parking it, if there is something to be done even so.
    ///
    /// - Returns: Whether the caller owns the turn again.
    func takeBackIfUrgent() -> Bool {
        lock.withLock { !urgent.isEmpty } && takeParked()
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

/// Something that is done once, by whichever of two ways to the turn comes first.
final class OnceInTurn: @unchecked Sendable {
    // Sound: `task` is touched only in the turn, and `key` under the lock of the queue.
    private var task: (@Sendable () -> Void)?
    /// Its place in the queue of what is urgent.
    fileprivate var key: SuspensionQueue<OnceInTurn>.Key?

    init(_ task: @escaping @Sendable () -> Void) { self.task = task }

    func run() {
        let task = task
        self.task = nil
        task?()
    }
}
