import Synchronization

extension TreeRoot {
    /// Returns the suspension, created for the first observer that can suspend the store.
    final func makeSuspension() -> TurnSuspension {
        let suspension =
            sharedSuspension.load() ?? sharedSuspension.storeIfNil(TurnSuspension { [weak self] in self?.goOn() })
        // Code that closes the mailbox looks for a suspension afterwards, so that one of the two sees the other.
        if isClosed { suspension.lift() }
        return suspension
    }

    /// Parks the turn if an observer has no room. The caller owns the turn and does not write.
    ///
    /// - Returns: Whether the turn was parked. The caller then no longer owns it.
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
            // Not put back: it could take long until the turn is passed on.
            if let work { runInBackground { work.perform(for: self) } }
        }
        gate.becomeOwner()
        return false
    }

    /// Runs what has to run in a turn even if an observer suspends the store. The caller owns the turn.
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
/// Each full buffer is a hold. An owner of the turn that finds a hold leaves the turn without giving it up: the turn is
/// *parked*, has no owner, and everything that arrives waits in the mailbox. Releasing the last hold gives a parked
/// turn back.
@usableFromInline
final class TurnSuspension: @unchecked Sendable {
    // Sound: `urgent` is accessed only under `lock`; everything else is constant or atomic.

    // Bit 0: the turn is parked. Bit 1: holds no longer count. The rest: the number of holds.
    private static let parkedBit = 1
    private static let liftedBit = 2
    private static let oneHold = 4
    // Pairs: all changes, which are read-modify-writes, with each other: the one that clears the parked bit sees what
    // the owner wrote before parking. `addUrgent` and the owner pair by `lock`. `isHeld` may be relaxed: holds are
    // added in the turn, and an old one costs a look.
    private let word = AtomicValue<Int>(0)
    private let lock = Lock()
    /// What has to run in a turn even if the turn is parked.
    private var urgent = SuspensionQueue<OnceInTurn>()
    private let giveBack: @Sendable () -> Void

    /// Creates a suspension without holds.
    ///
    /// - Parameter giveBack: Called when the turn was parked and is to continue, on the thread that may own it from
    ///   then on.
    init(giveBack: @escaping @Sendable () -> Void) {
        self.giveBack = giveBack
    }

    /// Whether an owner of the turn should park it.
    @usableFromInline
    var isHeld: Bool {
        let bits = word.loadRelaxed()
        return bits & Self.liftedBit == 0 && bits >= Self.oneHold
    }

    /// Adds a hold, because a buffer has become full. Called within the turn.
    func hold() { word.addAcquiringAndReleasing(Self.oneHold) }

    /// Parks the turn if there are holds. Called within the turn.
    ///
    /// - Returns: Whether the turn is parked. The caller then no longer owns it.
    @usableFromInline
    func parkIfHeld() -> Bool {
        update { bits in
            bits & Self.liftedBit == 0 && bits >= Self.oneHold ? bits | Self.parkedBit : nil
        } != nil
    }

    /// Removes a hold, because a full buffer has room again, or is gone.
    func release() {
        go { $0 - Self.oneHold }
    }

    /// Stops counting holds, because the store is being shut down.
    func lift() {
        go { $0 | Self.liftedBit }
    }

    /// Leaves `task` to the owner of the turn, which runs it after parking, or to the caller if the turn is parked.
    ///
    /// - Returns: Whether the turn was parked. The caller then owns it, and has to run the task.
    func addUrgent(_ task: OnceInTurn) -> Bool {
        // First the task, then the look; an owner parks first, and then looks for tasks. Both look under the lock or
        // after it, so that the later of the two sees the other.
        lock.withLock { task.key = urgent.append(task) }
        return takeParked()
    }

    /// Removes and returns what has to run now.
    func takeUrgent() -> [OnceInTurn] {
        lock.withLock { urgent.removeAll() }
    }

    /// Removes a task that runs in another way.
    func remove(_ task: OnceInTurn) {
        // What is removed is released after the lock.
        _ = lock.withLock { task.key.flatMap { urgent.remove($0) } }
    }

    /// Takes a parked turn although observers have no room.
    ///
    /// - Returns: Whether the turn was parked. The caller then owns it.
    private func takeParked() -> Bool {
        update { bits in bits & Self.parkedBit != 0 ? bits & ~Self.parkedBit : nil } != nil
    }

    /// Takes the turn back after parking it, if something has to run even so.
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

    /// Changes the word.
    ///
    /// - Returns: The word before and after; `nil` if it was not changed.
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

/// A task that runs once, in whichever of two turns comes first.
final class OnceInTurn: @unchecked Sendable {
    // Sound: `task` is accessed only in the turn, and `key` under the lock of the queue.
    private var task: (@Sendable () -> Void)?
    /// The position of the task in the queue of what is urgent.
    fileprivate var key: SuspensionQueue<OnceInTurn>.Key?

    init(_ task: @escaping @Sendable () -> Void) { self.task = task }

    func run() {
        let task = task
        self.task = nil
        task?()
    }
}
