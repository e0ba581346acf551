#if Journal
    public import ActorStore

    /// A store whose actions are kept in a file. Made by
    /// ``ActorStore/Store/durable(at:initialState:reducer:interceptors:configuration:journal:)``.
    ///
    /// ``store`` is a store like any other: it is read, observed, and narrowed as ever. What differs is when `dispatch`
    /// returns: here, when the action is on disk as the ``DurabilityLevel`` says; there, when it has been reduced. Both
    /// are kept. Readers see what has been reduced, also when it is not on disk yet, and effects begin then.
    ///
    /// To wait for what was dispatched elsewhere, at a scope for instance, call ``commit(isolation:)`` after it.
    public final class DurableStore<State: Codable & Sendable, Action: Codable & Sendable>: Sendable {
        /// The store itself.
        public let store: Store<State, Action>
        /// How the state was recovered.
        public let recovery: RecoveryReport
        let journal: Journal<State, Action>
        let reader: JournalReader<State, Action>

        init(
            store: Store<State, Action>,
            recovery: RecoveryReport,
            journal: Journal<State, Action>,
            reader: JournalReader<State, Action>
        ) {
            self.store = store
            self.recovery = recovery
            self.journal = journal
            self.reader = reader
        }

        /// Reduces an action, and returns when it is on disk, or when it has been reduced, as the ``DurabilityLevel``
        /// says.
        ///
        /// When half as many actions wait to be written as may, it waits for the disk at every level.
        ///
        /// Cancelling the task does not shorten the wait for the disk.
        ///
        /// - Returns: the effects that the action started, to be awaited or cancelled.
        /// - Throws: a `StoreError` if the action was not reduced, and never will be: also `rejected(by: "journal")`
        ///   when too many actions wait to be written. A ``JournalError`` if it was reduced, and could not be written:
        ///   the disk is full, for one. Then it is kept in memory, and written with the next action that can be, so
        ///   that it may be there after a restart or not.
        @discardableResult
        public func dispatch(_ action: Action, isolation: isolated (any Actor)? = #isolation) async throws -> StoreTask
        {
            let task = try await store.dispatch(action)
            try await journal.acknowledge()
            return task
        }

        /// Has a request reduced, and returns its answer when the request is on disk, or when it has been reduced, as
        /// the ``DurabilityLevel`` says; see `Store.ask(_:)`.
        ///
        /// - Returns: The answer that was decided with the request.
        /// - Throws: What ``dispatch(_:)`` throws, or `StoreError.unanswered` if no reducer has answered the request.
        public func ask<R: Request>(_ request: R, isolation: isolated (any Actor)? = #isolation) async throws
            -> R.Answer
        where R.StoreAction == Action {
            let result: Result<R.Answer, StoreError>
            do throws(StoreError) {
                result = .success(try await store.ask(request))
            } catch {
                // All other errors are those of a request that was not reduced.
                guard error == .unanswered else { throw error }
                result = .failure(error)
            }
            try await journal.acknowledge()
            return try result.get()
        }

        /// Has an action reduced, and waits for all that comes of it, and until the action is on disk as the
        /// ``DurabilityLevel`` says; see `Store.perform(_:)`.
        ///
        /// If the calling task is cancelled, it cancels the effects, and waits for their end.
        ///
        /// - Throws: What ``dispatch(_:)`` throws; then, when the action is on disk, the first error of an effect, or a
        ///   `CancellationError`.
        public func perform(_ action: Action, isolation: isolated (any Actor)? = #isolation) async throws {
            try Task.checkCancellation()
            let task = try await store.dispatch(action, tracksFeedback: true)
            let result: Result<Void, any Error>
            do {
                result = .success(try await task.finishForPerformer())
            } catch {
                result = .failure(error)
            }
            try await journal.acknowledge()
            try result.get()
        }

        /// Accepts an action without waiting; see `Store.send(_:)`. ``commit(isolation:)`` waits until it is on disk.
        ///
        /// - Returns: `.refused(.rejected(by: "journal"))` if as many actions wait to be written as
        ///   ``JournalConfiguration/pendingLimit`` says, or the journal cannot be written any more. An action that is
        ///   accepted while others are ahead of it in the mailbox is rejected all the same if those fill the journal
        ///   first; `StoreStatistics.rejectedActions` counts it.
        @discardableResult
        public func send(_ action: Action) -> SendOutcome {
            // A store that has ended says so itself.
            if !journal.admitsAction(), store.phase.isReady { return .refused(.rejected(by: "journal")) }
            return store.send(action)
        }

        /// Waits until every action that was accepted so far is on disk, whatever the ``DurabilityLevel``; with
        /// ``DurabilityLevel/none``, until the system has it.
        ///
        /// - Throws: a ``JournalError`` if that fails; the actions are kept in memory, and written with the next ones.
        public func commit(isolation: isolated (any Actor)? = #isolation) async throws {
            await store.settle()
            try await journal.commit()
        }

        /// The state at this moment; see `Store.snapshot`.
        public var snapshot: State { store.snapshot }

        /// How many actions the state is made of, from the first one in the journal on; unlike `Store.revision`, which
        /// counts those since the start.
        public var revision: UInt64 { journal.look { $0.handedOver } }

        /// Figures for diagnostics and metrics, as they are at this moment.
        public var statistics: JournalStatistics {
            journal.look {
                JournalStatistics(
                    revision: $0.handedOver,
                    committedRevision: $0.committed,
                    pendingActions: $0.unwritten,
                    commits: $0.commits,
                    snapshotRevision: $0.savedSnapshot,
                    failure: $0.failure,
                    lastProblem: $0.problem
                )
            }
        }

        /// Ends the store's life as `Store.shutdown(drain:within:reserving:clock:isolation:)` does, writes what is
        /// left, and closes the file, so that the next one can have it.
        ///
        /// ```swift
        /// let report = try await stock.shutdown(drain: .finishEffects, within: .seconds(25))
        /// ```
        ///
        /// What an effect sends that still runs when the time is over is dropped, and not written. A store that is
        /// released without this ends, too: what it has reduced is written, and the file closed, some time later.
        ///
        /// - Parameters:
        ///   - drain: What happens to running effects; with a limit, what happens to them first.
        ///   - limit: How much time the effects have in all; nil for as long as it takes. Writing what is left takes
        ///     its own time.
        ///   - reserve: How much of it is left to effects that have to be cancelled; a tenth unless something else is
        ///     said.
        ///   - clock: Measures the time; a test gives one of its own.
        ///   - isolation: The caller's actor, on which this runs; leave the default.
        /// - Returns: what is left running, which is nothing without a limit.
        /// - Throws: a ``JournalError`` if what is left could not be written; the file is closed all the same.
        @discardableResult
        public func shutdown(
            drain: ShutdownDrain,
            within limit: Duration? = nil,
            reserving reserve: Duration? = nil,
            clock: any Clock<Duration> = ContinuousClock(),
            isolation: isolated (any Actor)? = #isolation
        ) async throws -> ShutdownReport {
            let report = await store.shutdown(drain: drain, within: limit, reserving: reserve, clock: clock)
            try await close()
            return report
        }

        /// Writes what is left, and closes the file, when the store has ended.
        private func close(isolation: isolated (any Actor)? = #isolation) async throws {
            let result: Result<Void, any Error>
            do {
                result = .success(try await journal.commit())
            } catch let error as JournalError where error.cause == .closed {
                return
            } catch {
                result = .failure(error)
            }
            try? await journal.snapshotEnd()
            await journal.writer.close(journal)
            try result.get()
        }
    }
#endif
