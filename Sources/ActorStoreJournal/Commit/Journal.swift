#if Journal
    import ActorStore

    /// What stands between the turn of a store and the writer of its journal: a lock around ``HandOver``.
    final class Journal<State: Codable & Sendable, Action: Codable & Sendable>: Sendable {
        typealias Waiter = CheckedContinuation<Void, any Error>

        /// Under its lock nothing of users' is run or released: actions and states only move in and out.
        private let handOver: LockedValue<HandOver<State, Action, Waiter>>
        let writer: JournalWriter<State, Action>

        init(_ handOver: HandOver<State, Action, Waiter>, _ writer: JournalWriter<State, Action>) {
            self.handOver = LockedValue(handOver)
            self.writer = writer
        }

        /// Reads what there is.
        func look<Result>(_ body: (HandOver<State, Action, Waiter>) -> Result) -> Result {
            handOver.withLock { body($0) }
        }

        private func wakeWriter(_ wake: HandOver<State, Action, Waiter>.Wake) {
            switch wake {
            case .no: break
            case .now: writer.thread.run { [self] in writer.assumeIsolated { $0.writeAll(of: self) } }
            case .afterInterval:
                guard case .interval(let interval) = writer.configuration.level else { return }
                writer.thread.run(after: interval) { [self] in wakeWriter(handOver.withLock { $0.intervalEnded() }) }
            }
        }

        // MARK: For the store

        /// Whether an action may be reduced. If not, the writer tries again. The turn asks, and `send` before it.
        func admitsAction() -> Bool {
            let (isAdmitted, wake) = handOver.withLock { $0.isFull ? (false, $0.wake()) : (true, .no) }
            wakeWriter(wake)
            return isAdmitted
        }

        /// Takes an action that has just been reduced, and has led to this state. In the turn.
        func append(_ action: Action, _ state: State) {
            let wake = handOver.withLock { $0.append(action, state) }
            if wake != .no { wakeWriter(wake) }
        }

        /// Takes the state at this moment as the next snapshot. In the turn.
        ///
        /// - Returns: whether that was possible now: one at a time is made.
        func captureNow(_ state: State) -> Bool {
            let wake = handOver.withLock { $0.captureNow(state) }
            wakeWriter(wake ?? .no)
            return wake != nil
        }

        /// Waits until everything that has been reduced so far is on disk.
        func commit(isolation: isolated (any Actor)? = #isolation) async throws {
            try await withCheckedThrowingContinuation { waiter in
                let (wake, failure) = handOver.withLock { ($0.wait(waiter), $0.failure) }
                if let wake { return wakeWriter(wake) }
                if let failure { waiter.resume(throwing: failure) } else { waiter.resume() }
            }
        }

        /// Waits as long as the level asks for it before an action is acknowledged, and in any case if so much waits
        /// that others would soon be refused: whoever can wait should.
        func acknowledge(isolation: isolated (any Actor)? = #isolation) async throws {
            let (failure, isBusy) = look { ($0.failure, $0.isBusy) }
            if writer.configuration.level == .everyAction || isBusy { return try await commit() }
            if let failure { throw failure }
        }

        /// Waits for the end of the snapshot that is on its way, if there is one.
        func snapshotEnd(isolation: isolated (any Actor)? = #isolation) async throws {
            try await withCheckedThrowingContinuation { waiter in
                if !handOver.withLock({ $0.waitForSnapshot(waiter) }) { waiter.resume() }
            }
        }

        // MARK: For the writer

        func take(hasOtherWork: Bool) -> HandOver<State, Action, Waiter>.Work? {
            handOver.withLock { $0.take(hasOtherWork: hasOtherWork) }
        }

        func noteCommit(of bytes: Int) {
            for waiter in handOver.withLock({ $0.commit(bytes: bytes) }) { waiter.resume() }
        }

        func noteFailure(_ error: JournalError, isFinal: Bool) {
            let (waiters, wake) = handOver.withLock { $0.fail(error, isFinal: isFinal) }
            for waiter in waiters { waiter.resume(throwing: error) }
            wakeWriter(wake)
        }

        func noteProblem(_ error: JournalError) { handOver.withLock { $0.note(error) } }

        func noteEndOfSnapshot(_ error: JournalError? = nil) {
            for waiter in handOver.withLock({ $0.endSnapshot(error) }) {
                if let error { waiter.resume(throwing: error) } else { waiter.resume() }
            }
        }

        /// Has the writer go on, because there is something to do for it that was not handed over.
        func wake() { wakeWriter(handOver.withLock { $0.wake() }) }
    }
#endif
