#if Replication
    /// What the threads of a replica share: a plain value.
    struct ReplicaAccount<Action: Sendable, Waiter> {
        var outbox: Outbox<Action, Waiter>
        /// nil if there is no lease to be had.
        var claim: LeaseClaim?
        /// What the store has reduced.
        var log = ReplicaLog()
        /// Whether the store has caught up with the stream.
        var hasJoined = false
        /// The requests of this replica whose answers are waited for, by their numbers.
        var requests: [UInt64: Ticket] = [:]
        /// Those who wait at the server, to be woken at the end.
        var interruptions: [ObjectIdentifier: ConnectionInterruption] = [:]
        /// How often a connection was lost.
        var disconnections = 0
        /// What went wrong last that may have passed.
        var problem: ReplicationError?

        init(outbox: Outbox<Action, Waiter>, claim: LeaseClaim?) {
            self.outbox = outbox
            self.claim = claim
        }

        var statistics: ReplicationStatistics {
            ReplicationStatistics(
                position: log.position,
                revision: log.revision,
                pendingActions: outbox.pending,
                isConnected: outbox.isConnected && outbox.end == nil,
                disconnections: disconnections,
                duplicates: log.duplicates,
                fencedActions: log.fenced,
                lastProblem: problem,
                failure: outbox.end
            )
        }
    }
#endif
