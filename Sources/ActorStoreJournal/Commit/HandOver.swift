#if Journal
    /// What has been reduced and is not on disk yet, and who waits for that: a plain value.
    ///
    /// The store's turn hands actions over; a writer takes all there are, writes them, and says how it went. Meanwhile
    /// more come, which it takes next: that is the group commit.
    struct HandOver<State: Sendable, Action: Sendable, Waiter> {
        /// What is to be done about the writer.
        enum Wake: Equatable {
            case no
            case now
            case afterInterval
        }

        /// What the writer is to do next.
        struct Work: Sendable {
            /// The revision of the first action.
            var first: UInt64 = 0
            var actions: [Action] = []
            var snapshot: Snapshot?
        }

        /// A state that is to be written.
        struct Snapshot: Sendable {
            let revision: UInt64
            let state: State
        }

        let level: DurabilityLevel
        /// How many actions may wait to be written.
        let limit: Int
        let snapshots: SnapshotInterval

        /// The revision of the newest action that was handed over.
        private(set) var handedOver: UInt64
        /// The revision of the newest action that is on disk.
        private(set) var committed: UInt64
        /// How many transactions there were.
        private(set) var commits: UInt64 = 0
        /// That of the newest that the writer has taken.
        private var taken: UInt64
        private var pending: [Action] = []
        private var waiters: [(revision: UInt64, waiter: Waiter)] = []
        /// Whether the writer is at work, or about to be.
        private(set) var isAwake = false
        /// Whether it will be woken when the interval is over.
        private var isScheduled = false

        /// What went wrong last, until a commit succeeds.
        private(set) var failure: JournalError?
        /// Whether nothing can be written any more.
        private(set) var isBroken = false

        /// What the newest snapshot is that was asked for.
        private var newestSnapshot: UInt64
        /// What the newest is that is on disk.
        private(set) var savedSnapshot: UInt64?
        private var bytesSinceSnapshot = 0
        private var captured: Snapshot?
        /// Whether one is on its way to the disk.
        private(set) var isMakingSnapshot = false
        private var snapshotWaiters: [Waiter] = []
        /// What went wrong last in the background: with a snapshot, or with a compaction.
        private(set) var problem: JournalError?

        init(level: DurabilityLevel, limit: Int, snapshots: SnapshotInterval, recovered: RecoveryReport) {
            self.level = level
            self.limit = limit
            self.snapshots = snapshots
            handedOver = recovered.revision
            committed = recovered.revision
            taken = recovered.revision
            newestSnapshot = recovered.snapshot ?? 0
            savedSnapshot = recovered.snapshot
        }

        /// Whether no further action may be reduced for now.
        var isFull: Bool { isBroken || unwritten >= limit }

        /// Whether half as many actions wait as may.
        var isBusy: Bool { unwritten >= max(limit / 2, 1) }

        /// How many actions wait to be written.
        var unwritten: Int { Int(handedOver - committed) }

        /// Takes an action that has just been reduced.
        mutating func append(_ action: Action, _ state: borrowing State) -> Wake {
            handedOver += 1
            pending.append(action)
            let isDue =
                handedOver - newestSnapshot >= snapshots.actions || bytesSinceSnapshot >= snapshots.bytes
            if isDue && !isMakingSnapshot && !isBroken { capture(copy state) }
            if case .interval = level, !isBusy { return wakeLater() }
            return wake()
        }

        /// Takes the state at this moment as the next snapshot.
        ///
        /// - Returns: nil if there is one on its way, for whose end one has to wait first.
        mutating func captureNow(_ state: State) -> Wake? {
            // A broken journal writes no snapshot that one could wait for.
            if isBroken { return .no }
            if isMakingSnapshot { return nil }
            if handedOver == savedSnapshot { return .no }
            capture(state)
            return wake()
        }

        private mutating func capture(_ state: State) {
            isMakingSnapshot = true
            newestSnapshot = handedOver
            bytesSinceSnapshot = 0
            captured = Snapshot(revision: handedOver, state: state)
        }

        /// Has the writer begin, or try again.
        mutating func wake() -> Wake {
            if isAwake || isBroken { return .no }
            isAwake = true
            return .now
        }

        private mutating func wakeLater() -> Wake {
            if isAwake || isScheduled || isBroken { return .no }
            isScheduled = true
            return .afterInterval
        }

        /// The interval is over.
        mutating func intervalEnded() -> Wake {
            isScheduled = false
            return unwritten > 0 ? wake() : .no
        }

        /// What the writer is to do; nil if there is nothing, and then it is asleep.
        mutating func take(hasOtherWork: Bool) -> Work? {
            var work = Work()
            guard committed < handedOver || captured != nil || hasOtherWork else {
                isAwake = false
                return nil
            }
            work.first = taken + 1
            swap(&work.actions, &pending)
            taken = handedOver
            work.snapshot = captured
            captured = nil
            return work
        }

        /// Everything that was taken is on disk.
        ///
        /// - Returns: those who waited for it.
        mutating func commit(bytes: Int) -> [Waiter] {
            committed = taken
            commits += 1
            failure = nil
            bytesSinceSnapshot += bytes
            return removeWaiters(through: committed)
        }

        /// What was taken could not be written. The writer has kept it, is asleep, and will try again when it is woken.
        /// A snapshot that it had not taken is over: nobody would wake it for that.
        ///
        /// - Parameter isFinal: Whether nothing can be written any more.
        /// - Returns: those who waited for it, for what came since or for that snapshot, because nobody tries again
        ///   until somebody asks.
        mutating func fail(_ error: JournalError, isFinal: Bool) -> (waiters: [Waiter], wake: Wake) {
            failure = error
            isBroken = isBroken || isFinal
            isAwake = false
            let waiters = removeWaiters(through: .max) + (captured == nil ? [] : endSnapshot(error))
            if case .interval = level { return (waiters, wakeLater()) }
            return (waiters, .no)
        }

        /// The snapshot is on disk, or will never be.
        ///
        /// - Parameter error: Why it will never be.
        /// - Returns: those who waited for it.
        mutating func endSnapshot(_ error: JournalError?) -> [Waiter] {
            isMakingSnapshot = false
            captured = nil
            if error == nil { savedSnapshot = newestSnapshot }
            problem = error ?? problem
            defer { snapshotWaiters = [] }
            return snapshotWaiters
        }

        /// Notes what went wrong in the background.
        mutating func note(_ error: JournalError) { problem = error }

        /// Waits for the snapshot that is on its way.
        ///
        /// - Returns: whether there is one.
        mutating func waitForSnapshot(_ waiter: Waiter) -> Bool {
            if isMakingSnapshot { snapshotWaiters.append(waiter) }
            return isMakingSnapshot
        }

        private mutating func removeWaiters(through revision: UInt64) -> [Waiter] {
            // They are in the order of revisions, because each waits for what had been handed over when it came.
            let index = waiters.firstIndex { $0.revision > revision } ?? waiters.endIndex
            defer { waiters.removeFirst(index) }
            return waiters[..<index].map(\.waiter)
        }

        /// Waits for the newest action that was handed over.
        ///
        /// - Returns: nil if there is nothing to wait for; whether to wake the writer otherwise.
        mutating func wait(_ waiter: Waiter) -> Wake? {
            if committed == handedOver || isBroken { return nil }
            waiters.append((handedOver, waiter))
            return wake()
        }
    }
#endif
