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
        /// The place of the entry that was reduced last.
        private var position = StreamPosition.zero
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
            while position < end, try await read(root, connection, waiting: nil) {}
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
                        _ = try await read(root, connection, waiting: .seconds(1))
                        announceLease(root, leaseAcquired)
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
                throw ReplicationError(replica.keys.stream, at: nil, ReplicationError.Cause(error))
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
            let log = root.snapshot.log
            position = log.position
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
            guard let snapshot = found.snapshot, snapshot.log.position > position else {
                let isWhole = try performing { () throws(RedisFailure) in try connection.isUntrimmed(stream) }
                // Whoever begins may do without a snapshot, as long as everything is there.
                if position == .zero && isWhole { return }
                throw found.error ?? ReplicationError(stream, at: position, .missingEntries)
            }
            guard snapshot.log.revision >= log.revision else {
                throw ReplicationError(stream, at: position, .lostEnd)
            }
            let isThere = try performing { () throws(RedisFailure) in
                try connection.contains(snapshot.log.position, in: stream)
            }
            guard isThere else { throw ReplicationError(stream, at: snapshot.log.position, .lostEnd) }
            _ = try? await root.dispatch(.install(snapshot))
            position = snapshot.log.position
            replica.noteReduced(snapshot.log)
        }

        // MARK: Reading

        /// Reads what there is, and has it reduced.
        ///
        /// - Parameter duration: How long to wait if there is nothing; nil for not at all.
        /// - Returns: whether there was something.
        private func read(
            _ root: Root,
            _ connection: RedisConnection,
            waiting duration: Duration?
        ) async throws(ReplicationError) -> Bool {
            let stream = replica.keys.stream
            let reply = try performing { () throws(RedisFailure) in
                try connection.read(stream, after: position, waiting: duration, replica.server.timeout)
            }
            guard let rows = reply else { return false }
            var entries: [StreamEntry<Action>] = []
            entries.reserveCapacity(rows.count)
            var failure: ReplicationError?
            for row in rows {
                do {
                    entries.append(try StreamEntry(row, stream, replica.coding))
                } catch {
                    // What is before it can be reduced.
                    failure = error
                    break
                }
            }
            try await reduce(entries, root)
            if let failure { throw failure }
            return true
        }

        private func reduce(_ entries: [StreamEntry<Action>], _ root: Root) async throws(ReplicationError) {
            guard let last = entries.last else { return }
            for entry in entries.dropLast() { root.send(.entry(entry)) }
            do {
                try await root.dispatch(.entry(last))
            } catch {
                throw replica.error(.closed)
            }
            position = last.position
            let log = root.snapshot.log
            if let gap = log.gap {
                throw ReplicationError(
                    replica.keys.stream,
                    at: gap.position,
                    .missingActions(origin: gap.origin, number: gap.expected)
                )
            }
            replica.noteReduced(log)
        }

        /// Tells the store that this replica has got the lease, once all has been reduced that came before it.
        private func announceLease(_ root: Root, _ leaseAcquired: Action?) {
            guard let token = replica.leaseToken, token > announcedLease,
                root.snapshot.log.lease == ReplicationLease(token: token, holder: replica.origin)
            else { return }
            announcedLease = token
            if let leaseAcquired { root.send(.local(leaseAcquired, ticket: nil, lease: token)) }
        }
    }
#endif
