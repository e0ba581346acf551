import Synchronization

/// How many letters of others a thread reads before it leaves the rest to others, so that nobody who only wants to send
/// an action works for others without end.
@usableFromInline let lettersPerSender = 256

/// How many letters a task reads before it lets other tasks run.
@usableFromInline let lettersPerSlice = 4096

/// A burst of more letters than this must not leave its memory behind for good.
@usableFromInline let lettersToKeepMemoryFor = 65_536

extension StoreCore {
    /// Gives the turn up, after reading what has come into the mailbox meanwhile. The caller owns the turn.
    @inlinable
    func leave() {
        endWriting()
        if parkIfSuspended() { return }
        if !gate.endUnlessPending() { drain() }
    }

    /// Reads the mailbox, and gives the turn up; or leaves both to others when there is too much to do. The caller owns
    /// the turn.
    @inlinable
    func drain() {
        if !readLetters(atMost: lettersPerSender) { handOver() }
    }

    /// Leaves the rest to whoever comes next, and to a task of the store's own, which keeps the core alive, so that what
    /// was accepted is reduced. Not to the task alone: tasks that send without end can keep all threads busy, so that
    /// none is left for it, and the mailbox would grow. So each sender does a share.
    @inlinable
    func handOver() {
        endWriting()
        gate.leaveForOthers()
        guard !hasDrainingTask.exchangeAcquiringAndReleasing(true) else { return }
        Task.detached(executorPreference: configuration.executor, priority: configuration.priority) { [self] in
            await drainInSlices()
        }
    }

    /// Goes on while letters are left by their readers.
    @usableFromInline
    func drainInSlices() async {
        while true {
            // Taken down before the look: who leaves letters after the look sees to it that somebody comes.
            hasDrainingTask.storeSequentiallyConsistent(false)
            guard gate.takeOver(), !readLetters(atMost: lettersPerSlice) else { return }
            endWriting()
            gate.leaveForOthers()
            guard !hasDrainingTask.exchangeAcquiringAndReleasing(true) else { return }
            await Task.yield()
        }
    }

    /// Reads letters until there are none, and gives the turn up.
    ///
    /// - Returns: false if there are more than `limit`; then the caller owns the turn still. Otherwise it does not, also
    ///   if letters remain because an observer has suspended the store.
    @inlinable
    func readLetters(atMost limit: Int) -> Bool {
        var allowance = limit
        // Waking a task costs more than many turns, so it is done when the turn has been left. Were it done before,
        // others would find the store busy for so long that they had to be woken in their turn.
        var answers: [Answer] = []
        defer { for answer in answers { answer.give() } }
        repeat {
            while takeLetters() {
                while batchIndex < batch.count {
                    guard allowance > 0 else { return false }
                    if isSuspendable {
                        endWriting()
                        if parkIfSuspended() { return true }
                    }
                    allowance -= 1
                    // Taken out, so that what it holds is released as soon as it has been read.
                    let letter = batch[batchIndex]
                    batch[batchIndex] = .removed
                    batchIndex += 1
                    read(letter, &answers)
                }
            }
            endWriting()
            if parkIfSuspended() { return true }
        } while !gate.endUnlessPending()
        return true
    }

    /// Sees to it that there are letters to read, if any have come.
    @inlinable
    func takeLetters() -> Bool {
        guard batchIndex == batch.count else { return true }
        if batch.count > lettersToKeepMemoryFor { batch = [] } else { batch.removeAll(keepingCapacity: true) }
        batchIndex = 0
        gate.acknowledge()
        mailboxLock.acquire()
        mailbox.take(into: &batch)
        mailboxLock.release()
        return !batch.isEmpty
    }

    @inlinable
    func read(_ letter: Letter<State, Action>, _ answers: inout [Answer]) {
        switch letter {
        case .action(let action), .reply(let action):
            reduceSent(action)
        case .batch(let actions):
            for (effect, action) in reduceFully(actions) { startTasksDetached(take(effect, of: action)) }
        case .dispatch(let action, let dispatcher):
            answers.append(.result(reduceDispatched(action), to: dispatcher))
        case .feedback(let action, let handle):
            defer { endFeedback(of: handle) }
            if isLate(handle) { return }
            if handle.tracker.tracksFeedback {
                reduceSent(action, joining: handle.tracker)
            } else {
                reduceSent(action)
            }
        case .forwarded(let letter):
            endWriting()
            if let answer = letter.read() { answers.append(.other(answer)) }
        case .childReply(let action, let origin):
            defer { origin.end() }
            if isLate(origin) { return }
            if let tracker = origin.tracker { reduceSent(action, joining: tracker) } else { reduceSent(action) }
        case .timed(let timed):
            instrumentPanel.load()?.reading(since: timed.arrival) { read(timed.letter, &answers) }
        case .task(let task):
            endWriting()
            task(self)
        case .removed:
            break
        }
    }

    /// Reduces an action that nobody awaits. If that is all there is to its turn, the gate is left in writing, so that
    /// a run of such turns passes it once, unless somebody waits to read.
    @inlinable
    func reduceSent(_ action: Action) {
        guard !isElaborate else {
            if case .success(let launch) = reduceFully(action), launch.isNeeded { startTasksDetached(launch) }
            return
        }
        beginWriting()
        let effect = reducePlainly(action)
        if effect.isNone && !gate.hasWaitingReaders { return }
        endWriting()
        if !effect.isNone { startTasksDetached(take(effect, of: action)) }
    }

    /// Reduces an action whose dispatcher will start its effects, in its own context.
    @inlinable
    func reduceDispatched(_ action: Action) -> DispatchResult {
        guard !isElaborate else { return reduceFully(action) }
        beginWriting()
        let effect = reducePlainly(action)
        endWriting()
        return .success(effect.isNone ? EffectLaunch() : take(effect, of: action))
    }
}
