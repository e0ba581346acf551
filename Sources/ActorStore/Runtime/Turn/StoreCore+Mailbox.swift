import Synchronization

// What a caller leaves for others to do that does not find the store idle, or must not do it itself.

extension StoreCore {
    /// Puts an action, or several, into the mailbox, and sees to it that somebody reads it.
    @inlinable
    func post(
        _ message: Message<State, Action>,
        whenClosed: Bool = false
    ) -> Mailbox<Message<State, Action>>.Admission {
        if let registry = instrumentRegistry.load() { return post(message, whenClosed: whenClosed, tracing: registry) }
        mailboxLock.acquire()
        noteOrigin()
        let admission = mailbox.offer(message, whenClosed: whenClosed)
        mailboxLock.release()
        if gate.announce() { drainIfAllowed() }
        return admission
    }

    /// Has `task` done in a turn, after all that was accepted before; see ``TreeRoot/inTurn(_:)``.
    @usableFromInline
    func submit(_ task: @escaping (StoreCore) -> Void) {
        guard beginIfQuiet() else { return post(task) }
        inCleanContext { task(self) }
        passOn(readsOwnMessages: true)
    }

    /// Takes the turn without writing, if nobody has it and nothing that was accepted waits to be read.
    func beginIfQuiet() -> Bool {
        guard gate.beginIfQuiet() else { return false }
        // Who puts a message into the mailbox announces it afterwards: until then the gate knows nothing of it.
        // The count, and not `isEmpty`, for the reason given in `AttachedReducers`.
        if mailboxLock.withLock({ mailbox.messages.count == 0 }) { return true }
        passOn()
        return false
    }

    /// Notes whether the messages in the mailbox come from within the turn. The caller has the lock, and adds one.
    @inlinable
    func noteOrigin() {
        if !gate.isOwnedByThisThread { mailbox.hasForeignMessages = true }
    }

    /// Has `task` done in a turn by the owner of the turn, or by a background task.
    @usableFromInline
    func post(_ task: @escaping (StoreCore) -> Void) { leaveToOthers(.task(task)) }

    /// Puts a message into the mailbox that must not be dropped, for the owner of the turn, or a background task.
    func leaveToOthers(_ message: Message<State, Action>) {
        mailboxLock.withLock {
            noteOrigin()
            mailbox.append(message)
        }
        if gate.announce() { passOn() }
    }

    /// Says in public terms what became of a message, and tells those that gave way to it.
    @inlinable
    @inline(__always)
    func outcome(of admission: Mailbox<Message<State, Action>>.Admission) -> SendOutcome {
        if case .accepted = admission { return .accepted }
        return rareOutcome(of: admission)
    }

    @usableFromInline
    func rareOutcome(of admission: Mailbox<Message<State, Action>>.Admission) -> SendOutcome {
        switch admission {
        case .accepted:
            return .accepted
        case .acceptedInPlaceOfOthers:
            scheduleRefusals()
            return .acceptedDroppingOldest
        case .dropped:
            return .dropped
        case .full:
            return .refused(.overloaded)
        case .closed:
            return .refused(refusal)
        }
    }

    /// Ends the waiting for messages that will not be read, and releases them: not in a turn, and not in a reducer of
    /// another store, because what they hold is code of users.
    func scheduleRefusals() {
        if gate.isOwnedByThisThread {
            deferAnswer(.other { [self] in performRefusals() })
        } else if CurrentThread.isWriting {
            refuseInBackground()
        } else {
            performRefusals()
        }
    }

    private func performRefusals() {
        for (message, reason) in mailboxLock.withLock({ mailbox.takeRefused() }) {
            switch reason {
            case .displaced:
                instrumentRegistry.load()?.drop(message)
                refuse(message, .overloaded)
            case .closed:
                refuse(message, refusal)
            case .withdrawn:
                refuse(message, .cancelled)
            }
        }
    }

    /// Ends the waiting for messages that will not be read, and releases them, not on this thread: not by who shuts
    /// down or releases the store, or cancels a task that dispatches, because what others have sent is code of users.
    func refuseInBackground() { runInBackground { [self] in performRefusals() } }

    /// Ends the waiting for a message that will not be read.
    @usableFromInline
    func refuse(_ message: Message<State, Action>, _ error: StoreError) {
        switch message {
        case .dispatch(_, let dispatcher, _): dispatcher.resume(returning: .failure(error))
        case .forwarded(let message): message.refuse(error)
        case .feedback(_, let job), .dismissal(_, let job): loseFeedback(of: job)
        case .timed(let timed): refuse(timed.message, error)
        case .action, .batch, .reply, .childReply, .task, .job, .removed: break
        }
    }
}

// MARK: Waiting for an answer

extension StoreCore {
    /// Leaves the action in the mailbox, as soon as the asynchronous interceptors have let it through, and waits until
    /// the owner of the turn has reduced it.
    ///
    /// - Parameter acceptance: The wait to be accepted, if the dispatch has a limit for it.
    @usableFromInline
    func dispatchContended(
        _ action: Action,
        acceptance: AcceptanceWait? = nil,
        isolation: isolated (any Actor)? = #isolation
    ) async throws(StoreError) -> StoreTask {
        let action = hasAsyncInterceptors ? try await askFirst(action, acceptance: acceptance) : action
        let priority = Task.currentPriority.rawValue
        return begin(
            try await deliverMessage(acceptance: acceptance) { .dispatch(action, $0, priority: priority) }.get()
        )
    }

    /// Leaves a message in the mailbox, and waits for its answer; if need be as soon as there is room, unless the task
    /// is cancelled before.
    func deliverMessage<Answer: Sendable>(
        acceptance: AcceptanceWait? = nil,
        isolation: isolated (any Actor)? = #isolation,
        _ message: (UnsafeContinuation<Result<Answer, StoreError>, Never>) -> Message<State, Action>
    ) async -> Result<Answer, StoreError> {
        guard configuration.mailbox.suspendsDispatch else {
            return await withUnsafeContinuation { sender in
                let outcome = outcome(of: post(message(sender)))
                if let error = outcome.dispatchError { sender.resume(returning: .failure(error)) }
            }
        }
        let ticket = SuspensionTicket()
        return await withTaskCancellationHandler {
            await withUnsafeContinuation { sender in
                let message = timed(message(sender))
                let refusal: StoreError? = mailboxLock.withLock {
                    if mailbox.isClosed { return self.refusal }
                    if ticket.isCancelled && !mailbox.hasRoom(for: message) {
                        acceptance?.noteEnd()
                        return .cancelled
                    }
                    noteOrigin()
                    ticket.key = mailbox.suspend(message)
                    return nil
                }
                if let refusal { sender.resume(returning: .failure(refusal)) }
                if gate.announce() { drainIfAllowed() }
            }
        } onCancel: {
            let mustRefuse = mailboxLock.withLock {
                ticket.isCancelled = true
                guard let key = ticket.key, mailbox.withdraw(key) else { return false }
                // Under the lock: others may refuse it as soon as it is left.
                acceptance?.noteEnd()
                return true
            }
            if mustRefuse { refuseInBackground() }
        }
    }
}

/// A dispatch that waits for room in the mailbox.
private final class SuspensionTicket: @unchecked Sendable {
    // Sound: both are read and written under the lock of the mailbox.
    var key: UInt64?
    var isCancelled = false
}

extension SendOutcome {
    /// What a dispatch throws when its action was not accepted.
    fileprivate var dispatchError: StoreError? {
        switch self {
        case .accepted, .acceptedDroppingOldest: nil
        case .dropped: .overloaded
        case .refused(let error): error
        }
    }
}

extension MailboxCapacity {
    /// Whether a dispatch that finds the mailbox full waits for room.
    fileprivate var suspendsDispatch: Bool { limit != nil && policy == .suspend }
}

extension StoreCore: SerialExecutor {
    /// Runs a piece of a task that is isolated to the store, in a turn, after all that was accepted before. Not by the
    /// thread that resumes the task, which may hold a lock, unless that is a sender at work, which reads what is
    /// queued.
    @usableFromInline
    func enqueue(_ job: consuming ExecutorJob) {
        // The runtime holds no executor: the job can run elsewhere, and its task end and let go of the store, before
        // this returns.
        let hold = Unmanaged.passRetained(self)
        leaveToOthers(.job(UnownedJob(job)))
        hold.release()
    }

    /// Traps unless the calling thread is inside a turn of this store.
    @usableFromInline
    func checkIsolated() {
        guard gate.isOwnedByThisThread else {
            fatalError(
                "Code that assumes isolation to the store \"\(configuration.name)\" ran elsewhere. Await it on the store."
            )
        }
    }
}
