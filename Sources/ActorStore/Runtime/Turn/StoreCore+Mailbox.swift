import Synchronization

// What a caller leaves to others if it finds the store busy, or must not do the work itself.

extension StoreCore {
    /// Enqueues one action or several, and ensures that they are read.
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

    /// Runs `task` in a turn, after everything that was accepted before; see ``TreeRoot/inTurn(_:)``.
    @usableFromInline
    func submit(_ task: @escaping (StoreCore) -> Void) {
        guard beginIfQuiet() else { return post(task) }
        inCleanContext { task(self) }
        passOn(readsOwnMessages: true)
    }

    /// Takes the turn without writing, if it is free and nothing that was accepted waits to be read.
    func beginIfQuiet() -> Bool {
        guard gate.beginIfQuiet() else { return false }
        // A sender announces a message after it has enqueued it. Until then the gate does not show it. The count, and
        // not `isEmpty`, for the reason given in `AttachedReducers`.
        if mailboxLock.withLock({ mailbox.messages.count == 0 }) { return true }
        passOn()
        return false
    }

    /// Records whether the messages in the mailbox come from within the turn. The caller holds the lock, and adds a
    /// message.
    @inlinable
    func noteOrigin() {
        if !gate.isOwnedByThisThread { mailbox.hasForeignMessages = true }
    }

    /// Leaves `task` to the owner of the turn, or to a background task.
    @usableFromInline
    func post(_ task: @escaping (StoreCore) -> Void) { leaveToOthers(.task(task)) }

    /// Enqueues a message that must not be dropped, for the owner of the turn or a background task.
    func leaveToOthers(_ message: Message<State, Action>) {
        mailboxLock.withLock {
            noteOrigin()
            mailbox.append(message)
        }
        if gate.announce() { passOn() }
    }

    /// Returns the public outcome of a message, and refuses the messages that it displaced.
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

    /// Refuses and releases messages that will not be read: not in a turn, and not in a reducer of another store,
    /// because what they hold is user code.
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

    /// Refuses and releases messages that will not be read, in a background task. Not on the thread that shuts down or
    /// releases the store, or cancels a dispatching task, because what others have sent is user code.
    func refuseInBackground() { runInBackground { [self] in performRefusals() } }

    /// Notifies the task that waits for a message that it will not be read.
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
    /// Enqueues an action once the asynchronous interceptors have passed it, and waits until the owner of the turn has
    /// reduced it.
    ///
    /// - Parameter acceptance: The wait for acceptance, if it is limited.
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

    /// Enqueues a message and waits for its answer. If the mailbox is full and suspends dispatches, this first waits
    /// for room, unless the task is cancelled before.
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
                // Under the lock: the message can be refused as soon as the lock is released.
                acceptance?.noteEnd()
                return true
            }
            if mustRefuse { refuseInBackground() }
        }
    }
}

/// A dispatch that waits for room in the mailbox.
private final class SuspensionTicket: @unchecked Sendable {
    // Sound: both are accessed only under the lock of the mailbox.
    var key: UInt64?
    var isCancelled = false
}

extension SendOutcome {
    /// The error that a dispatch throws if its action was not accepted.
    fileprivate var dispatchError: StoreError? {
        switch self {
        case .accepted, .acceptedDroppingOldest: nil
        case .dropped: .overloaded
        case .refused(let error): error
        }
    }
}

extension MailboxCapacity {
    /// Whether a dispatch waits for room if the mailbox is full.
    fileprivate var suspendsDispatch: Bool { limit != nil && policy == .suspend }
}

extension StoreCore: SerialExecutor {
    /// Runs a job of a task that is isolated to the store, in a turn, after everything that was accepted before. Not on
    /// the thread that resumes the task, which may hold a lock, unless that thread is a sender that is reading the
    /// mailbox.
    @usableFromInline
    func enqueue(_ job: consuming ExecutorJob) {
        // The runtime does not retain the executor: the job can run elsewhere, and its task can end and release the
        // store, before this returns.
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
