/// After a burst of more messages than this, their memory is released.
@usableFromInline let messagesToKeepMemoryFor = 65_536

extension StoreCore {
    /// Passes the turn on without reading what others have left, which is for a background task. For callers that did
    /// not come to have an action reduced, and must not run code of others. Messages that they have caused in the turn
    /// themselves are read, unless a message of another thread precedes them. The caller owns the turn.
    ///
    /// - Parameter readsOwnMessages: Whether the calling thread has caused the messages in the mailbox, unless other
    ///   threads have added some.
    @usableFromInline
    func passOn(readsOwnMessages: Bool = false) {
        // Nothing pending means no messages. Checked first, because code without the types pays for each list of
        // messages.
        if readsOwnMessages, gate.current.isPending, !CurrentThread.isWriting {
            // Released when this returns, after the turn has been passed on.
            var read = ShortList<Message<State, Action>>()
            inCleanContext { readOwnMessages(&read) }
            finishPassingOn()
            withExtendedLifetime(read) {}
        } else {
            finishPassingOn()
        }
    }

    private func finishPassingOn() {
        endWriting()
        performDeferredWork {
            if !parkIfSuspended(), batchIndex < batch.count || !gate.endUnlessPending() { handOver() }
            return true
        }
    }

    /// Reads what the calling thread has enqueued in this turn, as long as there is nothing else.
    private func readOwnMessages(_ read: inout ShortList<Message<State, Action>>) {
        var budget = WorkBudget(configuration.limits, messages: configuration.limits.messagesPerSender)
        while takeOwnMessages() {
            while batchIndex < batch.count {
                endWriting()
                if extras.contains(.suspension), sharedSuspension.load()?.isHeld == true { return }
                guard budget.allowsNext(isAwaited: hasAwaitedWork) else { return }
                readNext(&read)
            }
        }
    }

    /// Takes messages out of the mailbox if the calling thread has enqueued all of them.
    ///
    /// - Returns: Whether there are messages to read.
    private func takeOwnMessages() -> Bool {
        guard batchIndex == batch.count else { return false }
        return mailboxLock.withLock {
            guard !mailbox.messages.isEmpty, !mailbox.hasForeignMessages, mailbox.suspended.isEmpty,
                // Jobs must not run where they were resumed.
                !mailbox.messages.contains(where: \.isJob)
            else { return false }
            batch.removeAll(keepingCapacity: true)
            batchIndex = 0
            gate.acknowledge()
            batchPriority = mailbox.highestPriority
            mailbox.take(into: &batch)
            return true
        }
    }

    /// Drains the mailbox. If the calling thread is in a reducer of another store, which cannot continue before this
    /// returns, it only passes the turn on.
    @inlinable
    func drainIfAllowed() {
        if CurrentThread.isWriting { passOn() } else { drain() }
    }

    /// Leaves the rest to the next sender, and to a background task of the store, which retains the core, so that what
    /// was accepted is reduced. The task alone is not enough: tasks that send without end can keep all threads busy, so
    /// that it would not run, and the mailbox would grow. So each sender does a share.
    ///
    /// The caller owns the turn and does not write; afterwards it does not own the turn.
    ///
    /// - Parameter background: The priority of the calling task, if it is the store's own.
    /// - Returns: Whether the calling task has to continue, because its priority is high enough for what waits.
    @usableFromInline
    @discardableResult
    func handOver(from background: UInt8 = 0) -> Bool {
        let ownPriority = configuration.priority ?? .medium
        let batchPriority = batchPriority
        gate.leaveForOthers()
        // Looked at after that: a thread that sends later finds no owner, and reads the messages itself.
        let waitingPriority = max(batchPriority, mailboxLock.withLock { mailbox.highestPriority })
        // At least 1, because 0 stands for no task.
        let priority = max(1, ownPriority.rawValue, waitingPriority)
        guard drainingPriority.raise(to: priority) else { return false }
        if background >= priority { return true }
        Task.detached(executorPreference: configuration.executor, priority: TaskPriority(rawValue: priority)) {
            [self] in
            await drainInSlices(priority)
        }
        return false
    }

    /// Passes the turn on although there is more to do; see ``handOver(from:)``.
    @usableFromInline
    func leaveRest(to background: UInt8) -> Bool {
        endWriting()
        var goesOn = false
        performDeferredWork {
            goesOn = handOver(from: background)
            return true
        }
        return goesOn
    }

    /// Drains the mailbox for as long as others leave messages.
    ///
    /// - Parameter priority: The priority of the task.
    func drainInSlices(_ priority: UInt8) async {
        while true {
            // A read-modify-write before the look at the word, because the other side, in `handOver`, leaves the turn
            // and then raises this. So either it finds this reset, and starts another task, or what it has left is seen
            // here.
            _ = drainingPriority.exchangeAcquiringAndReleasing(0)
            guard gate.takeOver() else { return }
            guard drainSpecialized(self, configuration.limits.messagesPerSlice, priority) else { return }
            await Task.yield()
        }
    }

    /// Reads messages until there are no more, or until others have to run, and passes the turn on. The caller owns the
    /// turn.
    ///
    /// - Parameters:
    ///   - messages: The maximum number of messages to read.
    ///   - background: The priority of the calling task, if it is the store's own.
    /// - Returns: Whether that task has to continue.
    @inlinable
    func drain(messages: Int, background: UInt8 = 0) -> Bool {
        var budget = WorkBudget(configuration.limits, messages: messages)
        // Released when this returns, after the turn has been passed on.
        var read = ShortList<Message<State, Action>>()
        while true {
            while takeMessages() {
                while batchIndex < batch.count {
                    if extras.contains(.suspension) {
                        endWriting()
                        if passOnByParking() { return false }
                    }
                    guard budget.allowsNext(isAwaited: hasAwaitedWork) else { return leaveRest(to: background) }
                    readNext(&read)
                }
            }
            endWriting()
            if endTurnUnlessPending() { return false }
        }
    }

    /// Takes new messages out of the mailbox, unless some are still to be read.
    ///
    /// - Returns: Whether there are messages to read.
    @inlinable
    func takeMessages() -> Bool {
        guard batchIndex == batch.count else { return true }
        if batch.count > messagesToKeepMemoryFor { batch = [] } else { batch.removeAll(keepingCapacity: true) }
        batchIndex = 0
        gate.acknowledge()
        mailboxLock.acquire()
        batchPriority = mailbox.highestPriority
        mailbox.take(into: &batch)
        mailboxLock.release()
        return !batch.isEmpty
    }

    /// Reads the next of the messages that were taken out of the mailbox.
    ///
    /// - Parameter done: Keeps the message until the turn has been passed on, because releasing it can run user code.
    @inlinable
    @inline(__always)
    func readNext(_ done: inout ShortList<Message<State, Action>>) {
        let message = batch[batchIndex]
        batch[batchIndex] = .removed
        batchIndex += 1
        read(message)
        if !message.isReleasedAnywhere { done.append(message) }
    }

    @inlinable
    func read(_ message: Message<State, Action>) {
        switch message {
        case .action(let action):
            reduceSent(action)
        case .reply(let action):
            if dropsReply() { return }
            reduceSent(action)
        case .batch(let actions):
            deferStart(reduceFully(batch: actions))
        case .dispatch(let action, let dispatcher, _):
            deferAnswer(.result(reduceDispatched(action), to: dispatcher))
        case .feedback(let action, let job):
            defer { endFeedback(of: job) }
            if isStale(job) { return }
            if job.isOfChild, hasGoneUnseen(job) { return }
            if job.tracker.tracksFeedback {
                reduceSent(action, joining: job.tracker)
            } else {
                reduceSent(action)
            }
        case .dismissal(let action, let job):
            // The check that drops the action also counts it.
            if job.isCancelled || !isStale(job, isDismissal: true) && !hasGoneUnseen(job, isDismissal: true) {
                return read(.feedback(action, job))
            }
            endFeedback(of: job)
        case .forwarded(let message):
            endWriting()
            if let answer = message.read() { deferAnswer(answer) }
        case .childReply(let action, let origin):
            defer { end(origin) }
            // Both are evaluated, because the second one also counts.
            let isStale = isStale(origin)
            if isStale || dropsReply() { return }
            if let tracker = origin.tracker { reduceSent(action, joining: tracker) } else { reduceSent(action) }
        case .timed(let timed):
            instrumentRegistry.load()?.reading(since: timed.arrival) { read(timed.message) }
        case .task(let task):
            endWriting()
            task(self)
        case .job(let job):
            endWriting()
            job.runSynchronously(on: asUnownedSerialExecutor())
        case .removed:
            break
        }
    }

    /// Reduces an action whose result is not awaited. If its turn consists of nothing else, the gate stays in writing,
    /// so that a run of such turns passes it once, unless readers wait.
    @inlinable
    func reduceSent(_ action: Action) {
        guard !extras.containsAny(of: .fullTurn) else {
            if case .success(let pending) = reduceFully(action), pending.isNeeded { deferStart(pending) }
            return
        }
        beginWriting()
        let effect = reducePlainly(action)
        if effect.isNone && !gate.hasWaitingReaders { return }
        endWriting()
        if !effect.isNone { deferStart(takeOn(effect, of: action)) }
    }

    /// Reduces an action whose dispatcher starts its effects, in its own context.
    @inlinable
    func reduceDispatched(_ action: Action) -> DispatchResult {
        guard !extras.containsAny(of: .fullTurn) else { return reduceFully(action) }
        beginWriting()
        let effect = reducePlainly(action)
        endWriting()
        return .success(effect.isNone ? PendingTasks() : takeOn(effect, of: action))
    }
}

extension AtomicValue where Value == UInt8 {
    /// Raises the value if it is lower. A read-modify-write in either case: code that resets the value afterwards sees
    /// what was written before this.
    ///
    /// - Returns: Whether the value was lower.
    func raise(to value: UInt8) -> Bool {
        var seen = loadRelaxed()
        while true {
            let (exchanged, original) = compareExchangeAcquiringAndReleasing(expected: seen, desired: max(seen, value))
            if exchanged { return seen < value }
            seen = original
        }
    }
}
