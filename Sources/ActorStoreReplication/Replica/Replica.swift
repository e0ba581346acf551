#if Replication
    import ActorStore
    import ActorStorePersistence

    /// What stands between the turn of a store and those who append to its stream and read it: a lock around plain
    /// values.
    final class Replica<State: Codable & Sendable, Action: Codable & Sendable>: Sendable {
        typealias Waiter = CheckedContinuation<Void, any Error>
        typealias Root = Store<ReplicaState<State>, ReplicaAction<State, Action>>

        /// Names this replica in this life of it.
        let origin: String
        let server: RedisServer
        let keys: StreamKeys
        let configuration: ReplicationConfiguration
        let coding: StateCoding
        private let shared: LockedValue<ReplicaAccount<Action, Waiter>>
        let writer = ReplicaWriter<State, Action>()
        let snapshots: SnapshotWriter<State>

        init(_ stream: String, _ server: RedisServer, _ configuration: ReplicationConfiguration) {
            origin = "\(configuration.name).\(String(UInt64.random(in: .min ... .max), radix: 36))"
            self.server = server
            keys = StreamKeys(stream: stream)
            self.configuration = configuration
            coding = configuration.coding
            let outbox = Outbox<Action, Waiter>(configuration.whileDisconnected, limit: configuration.pendingLimit)
            shared = LockedValue(
                ReplicaAccount(
                    outbox: outbox,
                    claim: configuration.effects.leaseDuration.map { LeaseClaim(duration: $0) }
                )
            )
            snapshots = SnapshotWriter(server, keys, coding, configuration.trimming)
        }

        /// Reads or changes the outbox.
        private func withOutbox<Result>(_ body: (inout Outbox<Action, Waiter>) -> Result) -> Result {
            shared.withLock { body(&$0.outbox) }
        }

        func error(_ cause: ReplicationError.Cause) -> ReplicationError { ReplicationError(keys.stream, cause) }

        private func wakeWriter(_ wakes: Bool) {
            if wakes { writer.thread.run { [self] in writer.assumeIsolated { $0.writeAll(of: self) } } }
        }

        // MARK: For the store

        /// Why no action is accepted for now.
        func refusal(ofEffect: Bool = false) -> ReplicationError? {
            withOutbox { $0.refusal(for: keys.stream, ofEffect: ofEffect) }
        }

        /// Takes an action of this replica. In the turn.
        func accept(_ action: Action, from sender: LocalSender) {
            let (number, wakes) = shared.withLock { shared in
                let accepted = shared.outbox.append(action, lease: sender.lease, isAwaited: sender.ticket != nil)
                if let ticket = sender.ticket, ticket.isRequest { shared.requests[accepted.number] = ticket }
                return accepted
            }
            sender.ticket?.outcome = .accepted(number: number)
            wakeWriter(wakes)
        }

        /// Hands the answer of the reducer to whoever waits for that of the request with this number. In the turn.
        func answer(_ number: UInt64, with answer: @autoclosure () -> (any Sendable)?) {
            shared.withLock { $0.requests.removeValue(forKey: number) }?.answer = .given(answer())
        }

        /// Nobody waits for the answer of this request any more.
        func forgetRequest(_ number: UInt64) { shared.withLock { $0.requests[number] = nil } }

        /// Waits until an action has come back by the stream and been reduced.
        ///
        /// - Parameter isSender: Whether whoever waits has sent it, and learns if it could not be encoded.
        /// - Throws: ``ReplicationError``; when the task is cancelled, one that says so.
        func wait(for number: UInt64, isSender: Bool, isolation: isolated (any Actor)? = #isolation) async throws {
            let identity = withOutbox { $0.makeIdentity() }
            try await withTaskCancellationHandler {
                try await withCheckedThrowingContinuation { waiter in
                    switch withOutbox({ $0.wait(for: number, waiter, identity, isSender: isSender) }) {
                    case .over(let error?): waiter.resume(throwing: error)
                    case .over(nil): waiter.resume()
                    // The handler may have run before there was somebody to take back.
                    case .waits: if Task.isCancelled { cancelWait(for: number, identity) }
                    }
                }
            } onCancel: {
                cancelWait(for: number, identity)
            }
        }

        private func cancelWait(for number: UInt64, _ identity: UInt64) {
            withOutbox { $0.removeWaiter(for: number, identity) }?.resume(throwing: error(.cancelled))
        }

        /// Accepts only what effects send from now on, and runs no effects of what others send.
        func close() { withOutbox { $0.isClosing = true } }

        /// How many actions are not known to have been reduced.
        var pending: Int { withOutbox { $0.pending } }

        /// How far the actions of this replica have come.
        struct Progress: Equatable {
            let unacknowledged: Int
            let reduced: UInt64
            /// Whether none is under way.
            let isComplete: Bool
        }

        var progress: Progress {
            withOutbox {
                Progress(unacknowledged: $0.unacknowledged, reduced: $0.reduced, isComplete: $0.pending == 0)
            }
        }

        /// The number of the newest action that was accepted.
        var accepted: UInt64 { withOutbox { $0.accepted } }

        /// The token under which effects of an entry run here, or that there are none to run. In the turn.
        func effectRun(of entry: StreamEntry<Action>, _ log: ReplicaLog) -> EffectRun {
            switch configuration.effects {
            case _ where entry.origin != origin && withOutbox { $0.isClosing }: .skip
            case .origin: entry.origin == origin ? .run(lease: nil) : .skip
            case .everyReplica: shared.withLock { $0.hasJoined } ? .run(lease: nil) : .skip
            case .leaseHolder:
                if let token = leaseToken, log.lease == ReplicationLease(token: token, holder: origin) {
                    .run(lease: token)
                } else {
                    .skip
                }
            }
        }

        /// Whether effects run here.
        enum EffectRun {
            case run(lease: UInt64?)
            case skip
        }

        // MARK: For the writer

        func take(atMost limit: Int) -> [Outbox<Action, Waiter>.Item] { withOutbox { $0.take(atMost: limit) } }

        func noteUnencodable(_ item: Outbox<Action, Waiter>.Item, _ cause: StateCodingError) {
            let error = error(ReplicationError.Cause(cause))
            withOutbox { $0.noteUnencodable(item, error) }
            noteProblem(error)
        }

        func noteAppended(through number: UInt64) {
            // What an action holds may be released with it, so that this must not be under the lock.
            withExtendedLifetime(withOutbox { $0.acknowledge(through: number) }) {}
        }

        func noteWriterLost(_ failure: RedisFailure) {
            noteLoss(error(ReplicationError.Cause(failure))) { $0.disconnect() }
        }

        func noteWriterBack() { wakeWriter(withOutbox { $0.connect() }) }

        // MARK: For the reader

        func noteJoined() { shared.withLock { $0.hasJoined = true } }

        func noteReader(isConnected: Bool) { withOutbox { $0.isReading = isConnected } }

        func noteReaderLost(_ error: ReplicationError) { noteLoss(error) { $0.isReading = false } }

        /// Everything up to a place in the stream has been reduced.
        func noteReduced(_ log: ReplicaLog) {
            let (released, removed) = shared.withLock { shared in
                shared.log = log
                // A snapshot that somebody has made up could say more.
                let number = min(log.origins[origin]?.number ?? 0, shared.outbox.accepted)
                return (shared.outbox.reduce(through: number), shared.outbox.acknowledge(through: number))
            }
            for (waiter, error) in released {
                if let error { waiter.resume(throwing: error) } else { waiter.resume() }
            }
            withExtendedLifetime(removed) {}
        }

        // MARK: For all who have connections

        private func noteLoss(_ error: ReplicationError, _ body: (inout Outbox<Action, Waiter>) -> Void) {
            shared.withLock {
                body(&$0.outbox)
                $0.disconnections += 1
                $0.problem = error
            }
        }

        func noteProblem(_ error: ReplicationError) { shared.withLock { $0.problem = error } }

        /// Has a connection be interrupted at the end.
        ///
        /// - Returns: whether it has not come yet.
        func watch(_ interruption: ConnectionInterruption, for owner: AnyObject) -> Bool {
            let hasEnded = shared.withLock { shared in
                shared.interruptions[ObjectIdentifier(owner)] = interruption
                return shared.outbox.end != nil
            }
            return !hasEnded
        }

        var failure: ReplicationError? { withOutbox { $0.end } }

        /// Stops for good. Those who wait get the error.
        func end(_ error: ReplicationError) {
            let (waiters, interruptions) = shared.withLock { shared in
                shared.claim?.lose()
                return (shared.outbox.end(error), Array(shared.interruptions.values))
            }
            for waiter in waiters { waiter.resume(throwing: error) }
            for interruption in interruptions { interruption.interrupt() }
        }

        // MARK: For the lease

        /// The token of the lease, for as long as this replica has it by its own clock.
        var leaseToken: UInt64? { shared.withLock { $0.claim?.token(at: .now) } }

        /// - Returns: false if the time of the one before was over meanwhile, so that this one must not go on with it.
        func noteLease(_ token: UInt64, askedAt moment: ContinuousClock.Instant) -> Bool {
            shared.withLock { $0.claim?.grant(token, askedAt: moment, now: .now) ?? false }
        }

        /// - Returns: whether the lease was held until now.
        func noteLeaseLost() -> Bool { shared.withLock { $0.claim?.lose() ?? false } }

        /// - Returns: whether its time was over just now.
        func expireLease() -> Bool { shared.withLock { $0.claim?.expire(at: .now) ?? false } }

        // MARK: Figures

        /// What the store has reduced.
        var log: ReplicaLog { shared.withLock { $0.log } }

        var statistics: ReplicationStatistics { shared.withLock { $0.statistics } }
    }
#endif
