#if Replication
    import ActorStore
    import ActorStorePersistence
    import Foundation

    /// Follows the stream, on a thread of its own, and has the store reduce what is in it.
    actor ReplicaReader<State: Codable & Sendable, Action: Codable & Sendable> {
        typealias Root = Store<ReplicaState<State>, ReplicaAction<State, Action>>

        private nonisolated let replica: Replica<State, Action>
        private nonisolated let thread = BlockingThread(named: "ActorStoreReplication.reader")
        nonisolated var unownedExecutor: UnownedSerialExecutor { thread.asUnownedSerialExecutor() }
        /// How many attempts have failed since the last success.
        private var failures = 0
        /// What the store knows of the stream once it has reduced what it was given.
        private var log = ReplicaLog()
        /// The newest token of this replica that the store was told of.
        private var announcedLease: UInt64 = 0

        init(_ replica: Replica<State, Action>) { self.replica = replica }

        /// Brings a store to where the stream is now.
        func join(_ root: Root) async throws(ReplicationError) {
            let connection = try connect()
            try await resume(root, connection)
            guard
                let end = try performing({ () throws(RedisFailure) in
                    try connection.lastPosition(of: replica.keys.stream)
                })
            else { return }
            while log.position < end { try await read(root, connection, waiting: nil) }
        }

        /// Follows the stream until the replica ends.
        ///
        /// - Parameter leaseAcquired: What is sent when this replica has got the lease.
        func follow(_ root: Root, leaseAcquired: Action?) async {
            while replica.failure == nil {
                do throws(ReplicationError) {
                    let connection = try connect()
                    try await resume(root, connection)
                    replica.noteReader(isConnected: true)
                    failures = 0
                    while replica.failure == nil {
                        try await read(root, connection, waiting: .seconds(1))
                        await announceLease(root, leaseAcquired)
                    }
                } catch {
                    // A store that has been shut down reduces nothing, and what it has accepted may still be appended.
                    guard replica.failure == nil, error.cause != .closed else { return }
                    guard error.cause.isPassing else { return replica.end(error) }
                    replica.noteReaderLost(error)
                    failures += 1
                    try? await Task.sleep(for: replica.configuration.reconnection.endlessWait(afterAttempt: failures))
                }
            }
        }

        private func performing<Result>(_ body: () throws(RedisFailure) -> Result) throws(ReplicationError) -> Result {
            do {
                return try body()
            } catch {
                throw replica.error(ReplicationError.Cause(error))
            }
        }

        private func connect() throws(ReplicationError) -> RedisConnection {
            let connection = try performing { () throws(RedisFailure) in try RedisConnection(replica.server) }
            guard replica.watch(connection.interruption, for: self) else { throw replica.error(.closed) }
            return connection
        }

        // MARK: Finding the place

        /// Makes sure that the stream goes on where this replica is, or takes a newer snapshot if it does not.
        private func resume(_ root: Root, _ connection: RedisConnection) async throws(ReplicationError) {
            let stream = replica.keys.stream
            log = root.snapshot.log
            let position = log.position
            if position > .zero {
                let isThere = try performing { () throws(RedisFailure) in
                    try connection.contains(position, in: stream)
                }
                if isThere { return }
                let end = try performing { () throws(RedisFailure) in try connection.lastPosition(of: stream) }
                guard let end, end > position else { throw ReplicationError(stream, at: position, .lostEnd) }
            }
            let found = try performing { () throws(RedisFailure) in
                try SharedSnapshot<State>.load(by: connection, replica.keys, replica.coding)
            }
            for snapshot in found.snapshots where snapshot.log.position > position {
                let isThere = try performing { () throws(RedisFailure) in
                    try connection.contains(snapshot.log.position, in: stream)
                }
                // One of fewer actions is of a stream that has lost what this replica has reduced.
                guard isThere, snapshot.log.revision >= log.revision else { continue }
                return try await install(snapshot, root)
            }
            if position == .zero {
                // Whoever begins may do without a snapshot, as long as everything is there.
                let isWhole = try performing { () throws(RedisFailure) in try connection.isUntrimmed(stream) }
                if isWhole { return }
            }
            throw found.error ?? ReplicationError(stream, at: position, .missingEntries)
        }

        private func install(_ snapshot: ReplicaState<State>, _ root: Root) async throws(ReplicationError) {
            do {
                try await root.dispatch(.install(snapshot))
            } catch {
                throw replica.error(.closed)
            }
            log = snapshot.log
            replica.noteReduced(log)
        }

        // MARK: Reading

        /// Reads what there is, and has it reduced.
        ///
        /// - Parameter duration: How long to wait if there is nothing; nil for not at all.
        private func read(
            _ root: Root,
            _ connection: RedisConnection,
            waiting duration: Duration?
        ) async throws(ReplicationError) {
            let stream = replica.keys.stream
            let (rows, isGapless) = try performing { () throws(RedisFailure) in
                try connection.read(stream, after: log.position, waiting: duration, replica.server.timeout)
            }
            // What comes after this place may have been trimmed with it.
            guard isGapless else { return try await resume(root, connection) }
            var actions: [ReplicaAction<State, Action>] = []
            actions.reserveCapacity(rows.count)
            var failure: ReplicationError?
            for row in rows {
                do throws(ReplicationError) {
                    actions.append(try action(of: StreamEntry(row, stream, replica.coding)))
                } catch {
                    // What is before it can be reduced.
                    failure = error
                    break
                }
            }
            try await reduce(actions, root)
            if let failure { throw failure }
        }

        /// What the store is to do about an entry.
        private func action(
            of entry: StreamEntry<Action>
        ) throws(ReplicationError) -> ReplicaAction<State, Action> {
            let stream = replica.keys.stream
            if case .action(_, let number, _) = entry.content, entry.origin == replica.origin, number > replica.accepted
            {
                throw ReplicationError(stream, at: entry.position, .foreignEntry("It has the origin of this replica."))
            }
            switch log.admit(entry) {
            case .reduced: return .entry(entry)
            case .passed: return .passed(entry)
            case .gap(let expected):
                throw ReplicationError(
                    stream,
                    at: entry.position,
                    .missingActions(origin: entry.origin, number: expected)
                )
            }
        }

        private func reduce(
            _ actions: [ReplicaAction<State, Action>],
            _ root: Root
        ) async throws(ReplicationError) {
            guard let last = actions.last else { return }
            for action in actions.dropLast() { root.send(action) }
            do {
                try await root.dispatch(last)
            } catch {
                throw replica.error(.closed)
            }
            replica.noteReduced(log)
        }

        /// Tells the store that this replica has got the lease, once all has been reduced that came before it.
        private func announceLease(_ root: Root, _ leaseAcquired: Action?) async {
            guard let token = replica.leaseToken, token > announcedLease,
                log.lease == ReplicationLease(token: token, holder: replica.origin)
            else { return }
            if let leaseAcquired {
                let ticket = Ticket()
                _ = try? await root.dispatch(.local(leaseAcquired, from: LocalSender(ticket: ticket, lease: token)))
                // It comes again after the next look at the stream if it was refused.
                guard case .accepted = ticket.outcome else { return }
            }
            announcedLease = token
        }
    }
#endif
