#if Replication
    import ActorStore
    import ActorStorePersistence

    /// What stands between the turn of a store and those who append to its stream and read it: a lock around plain values.
    final class Replica<State: Codable & Sendable, Action: Codable & Sendable>: Sendable {
        typealias Waiter = CheckedContinuation<Void, any Error>
        typealias Root = Store<ReplicaState<State>, ReplicaAction<State, Action>>

        /// Names this replica in this life of it.
        let origin: String
        let server: RedisServer
        let keys: StreamKeys
        let configuration: ReplicationConfiguration
        let coding: StateCoding
        private let shared: Shielded<ReplicaAccount<Action, Waiter>>
        let writer: ReplicaWriter<State, Action>
        let snapshots: SnapshotWriter<State>

        init(_ stream: String, _ server: RedisServer, _ configuration: ReplicationConfiguration) {
            origin = "\(configuration.name).\(String(UInt64.random(in: .min ... .max), radix: 36))"
            self.server = server
            keys = StreamKeys(stream: stream)
            self.configuration = configuration
            coding = configuration.coding
            let outbox = Outbox<Action, Waiter>(configuration.whileDisconnected, limit: configuration.pendingLimit)
            shared = Shielded(
                ReplicaAccount(
                    outbox: outbox,
                    claim: configuration.effects.leaseDuration.map { LeaseClaim(duration: $0) }
                )
            )
            writer = ReplicaWriter(server, keys, coding, configuration.reconnection, origin)
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
        var refusal: ReplicationError? { withOutbox { $0.refusal(for: keys.stream) } }

        /// Takes an action of this replica. In the turn.
        func accept(_ action: Action, _ ticket: Ticket?, lease: UInt64?) {
            let (number, wakes) = withOutbox { $0.append(action, lease: lease) }
            ticket?.outcome = .accepted(number: number)
            wakeWriter(wakes)
        }

        /// Waits until an action has come back by the stream and been reduced.
        ///
        /// - Throws: ``ReplicationError``; when the task is cancelled, one that says so.
        nonisolated(nonsending) func wait(for number: UInt64) async throws {
            try await withTaskCancellationHandler {
                try await withCheckedThrowingContinuation { waiter in
                    switch withOutbox({ $0.wait(for: number, waiter) }) {
                    case .over(let error?): waiter.resume(throwing: error)
                    case .over(nil): waiter.resume()
                    case .waits: if Task.isCancelled { cancelWait(for: number) }
                    }
                }
            } onCancel: {
                cancelWait(for: number)
            }
        }

        private func cancelWait(for number: UInt64) {
            withOutbox { $0.removeWaiter(for: number) }?.resume(throwing: error(.cancelled))
        }

        /// Waits until everything that was accepted is in the stream.
        nonisolated(nonsending) func flush() async throws {
            try await withCheckedThrowingContinuation { waiter in
                switch withOutbox({ $0.waitForFlush(waiter) }) {
                case .over(let error?): waiter.resume(throwing: error)
                case .over(nil): waiter.resume()
                case .waits: break
                }
            }
        }

        /// How many actions are not known to be in the stream.
        var unacknowledged: Int { withOutbox { $0.unacknowledged } }

        /// The number of the newest action that was accepted.
        var accepted: UInt64 { withOutbox { $0.accepted } }

        /// The token under which effects of an entry run here, or that there are none to run. In the turn.
        func effectRun(of entry: StreamEntry<Action>, _ log: ReplicaLog) -> EffectRun {
            switch configuration.effects {
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

        func noteUnencodable(_ number: UInt64, _ cause: StateCodingError) {
            let error = error(ReplicationError.Cause(cause))
            withOutbox { $0.noteUnencodable(number, error) }
            noteProblem(error)
        }

        func noteAppended(through number: UInt64) {
            // What an action holds may be released with it, so that this must not be under the lock.
            let (removed, waiters) = withOutbox { ($0.acknowledge(through: number), $0.takeFlushed()) }
            for waiter in waiters { waiter.resume() }
            withExtendedLifetime(removed) {}
        }

        func noteWriterLost(_ failure: RedisFailure) {
            noteLoss(failure) { $0.disconnect() }
        }

        func noteWriterBack() { wakeWriter(withOutbox { $0.connect() }) }

        // MARK: For the reader

        func noteJoined() { shared.withLock { $0.hasJoined = true } }

        func noteReader(isConnected: Bool) { withOutbox { $0.isReading = isConnected } }

        func noteReaderLost(_ error: ReplicationError) {
            shared.withLock {
                $0.outbox.isReading = false
                $0.disconnections += 1
                $0.problem = error
            }
        }

        /// Everything up to a place in the stream has been reduced.
        func noteReduced(_ log: ReplicaLog) {
            let number = log.origins[origin]?.number ?? 0
            let (released, removed, flushed) = shared.withLock { shared in
                shared.log = log
                let released = shared.outbox.reduce(through: number)
                let removed = shared.outbox.acknowledge(through: number)
                return (released, removed, shared.outbox.takeFlushed())
            }
            for waiter in flushed { waiter.resume() }
            for (waiter, error) in released {
                if let error { waiter.resume(throwing: error) } else { waiter.resume() }
            }
            withExtendedLifetime(removed) {}
        }

        // MARK: For all who have connections

        private func noteLoss(_ failure: RedisFailure, _ body: (inout Outbox<Action, Waiter>) -> Void) {
            let error = error(ReplicationError.Cause(failure))
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

        func noteLease(_ token: UInt64, askedAt moment: ContinuousClock.Instant) {
            shared.withLock { $0.claim?.grant(token, askedAt: moment) }
        }

        /// - Returns: whether the lease was held until now.
        func noteLeaseLost() -> Bool { shared.withLock { $0.claim?.lose() ?? false } }

        /// - Returns: whether its time was over just now.
        func expireLease() -> Bool { shared.withLock { $0.claim?.expire(at: .now) ?? false } }

        // MARK: Figures

        var statistics: ReplicationStatistics { shared.withLock { $0.statistics } }
    }
#endif
