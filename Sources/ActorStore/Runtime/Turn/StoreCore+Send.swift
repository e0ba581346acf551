import Synchronization

extension StoreCore {
    /// Accepts an action from outside, and reduces it at once if the store is idle.
    @inlinable
    func send(_ action: Action) -> SendOutcome {
        guard gate.beginIfIdle() else { return outcome(of: post(.action(action))) }
        guard !extras.containsAny(of: .slowPath) else { return sendFully(action) }
        let effect = reducePlainly(action)
        guard effect.isNone else { return finishSend(effect, of: action) }
        if !gate.endIfUndisturbed() { leaveWriting() }
        return .accepted
    }

    /// The rest of an uncontended turn in the course of which something came up. Never inlined, so that callers stay so small that
    /// the fast path is.
    @usableFromInline
    @inline(never)
    func leaveWriting() {
        progress.insert(.writing)
        leave()
    }

    /// The rest of ``send(_:)`` for an action that asked for an effect.
    @inlinable
    @inline(never)
    func finishSend(_ effect: Effect<Action>, of action: Action) -> SendOutcome {
        gate.endWriting()
        // The tasks are started when the turn has been passed on, so that effects which end at once find the store idle.
        deferStart(take(effect, of: action))
        leave()
        return .accepted
    }

    /// The rest of ``send(_:)`` for a store that has observers or interceptors, or is being shut down.
    @inlinable
    func sendFully(_ action: Action) -> SendOutcome {
        inTakenTurn {
            guard lifecycle.isOpen else { return .refused(refusal) }
            // Asked here, because to find the store's conformance costs more than the rest of the turn.
            if case .success(let launch) = reduceFully(action), launch.isNeeded { deferStart(launch) }
            return .accepted
        }
    }

    /// Accepts actions from outside that are one turn.
    @inlinable
    func send(contentsOf actions: some Sequence<Action>) -> SendOutcome {
        // Outside of the turn, because the sequence may be code of the caller.
        let actions = Array(actions)
        guard gate.beginIfIdle() else { return outcome(of: post(.batch(actions))) }
        return inTakenTurn {
            guard lifecycle.isOpen else { return .refused(refusal) }
            deferStart(reduceFully(batch: actions))
            return .accepted
        }
    }

    /// Puts an action, or several, into the mailbox, and sees to it that somebody reads it.
    @inlinable
    func post(
        _ letter: Letter<State, Action>,
        whenClosed: Bool = false
    ) -> Mailbox<Letter<State, Action>>.Admission {
        if let panel = instrumentPanel.load() { return post(letter, whenClosed: whenClosed, telling: panel) }
        mailboxLock.acquire()
        noteOrigin()
        let admission = mailbox.offer(letter, whenClosed: whenClosed)
        mailboxLock.release()
        if gate.announce() { drainIfAllowed() }
        return admission
    }

    /// Has `task` done in a turn, after all that was accepted before; see ``TreeRoot/inTurn(_:)``.
    @usableFromInline
    func submit(_ task: @escaping (StoreCore) -> Void) {
        guard beginIfQuiet() else { return post(task) }
        inCleanContext { task(self) }
        passOn(readsOwnLetters: true)
    }

    /// Takes the turn without writing, if nobody has it and nothing that was accepted waits to be read.
    func beginIfQuiet() -> Bool {
        guard gate.beginIfQuiet() else { return false }
        // Who puts a letter into the mailbox announces it afterwards: until then the gate knows nothing of it.
        // The count, and not `isEmpty`, for the reason given in `AttachedReducers`.
        if mailboxLock.withLock({ mailbox.letters.count == 0 }) { return true }
        passOn()
        return false
    }

    /// Notes whether the letters in the mailbox come from within the turn. The caller has the lock, and adds one.
    @inlinable
    func noteOrigin() {
        if !gate.isOwnedByThisThread { mailbox.hasForeignLetters = true }
    }

    /// Has `task` done in a turn by the owner of the turn, or by a background task.
    @usableFromInline
    func post(_ task: @escaping (StoreCore) -> Void) { leaveToOthers(.task(task)) }

    /// Puts a letter into the mailbox that must not be dropped, for the owner of the turn, or a background task.
    func leaveToOthers(_ letter: Letter<State, Action>) {
        mailboxLock.withLock {
            noteOrigin()
            mailbox.append(letter)
        }
        if gate.announce() { passOn() }
    }

    /// Says in public terms what became of a letter, and tells those that gave way to it.
    @inlinable
    @inline(__always)
    func outcome(of admission: Mailbox<Letter<State, Action>>.Admission) -> SendOutcome {
        if case .accepted = admission { return .accepted }
        return rareOutcome(of: admission)
    }

    @usableFromInline
    func rareOutcome(of admission: Mailbox<Letter<State, Action>>.Admission) -> SendOutcome {
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

    /// Ends the waiting for letters that will not be read, and releases them: not in a turn, and not in a reducer of another
    /// store, because what they hold is code of users.
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
        for (letter, reason) in mailboxLock.withLock({ mailbox.takeRefused() }) {
            switch reason {
            case .displaced:
                instrumentPanel.load()?.drop(letter)
                refuse(letter, .overloaded)
            case .closed:
                refuse(letter, refusal)
            case .withdrawn:
                refuse(letter, .cancelled)
            }
        }
    }

    /// Ends the waiting for letters that will not be read, and releases them, not on this thread: not by who shuts down or
    /// releases the store, or cancels a task that dispatches, because what others have sent is code of users.
    func refuseInBackground() { runInBackground { [self] in performRefusals() } }

    /// Ends the waiting for a letter that will not be read.
    @usableFromInline
    func refuse(_ letter: Letter<State, Action>, _ error: StoreError) {
        switch letter {
        case .dispatch(_, let dispatcher, _): dispatcher.resume(returning: .failure(error))
        case .forwarded(let letter): letter.refuse(error)
        case .feedback(_, let job), .dismissal(_, let job): loseFeedback(of: job)
        case .timed(let timed): refuse(timed.letter, error)
        case .action, .batch, .reply, .childReply, .task, .job, .removed: break
        }
    }
}
