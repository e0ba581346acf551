#if Replication
    /// Figures about a replica at one moment, for diagnostics and metrics.
    public struct ReplicationStatistics: Sendable, Equatable {
        /// The place of the newest entry that has been reduced.
        public let position: StreamPosition
        /// How many actions the state is made of; the same on all replicas at the same place.
        public let revision: UInt64
        /// How many actions of this replica are not known to have been reduced.
        public let pendingActions: Int
        /// Whether there is a connection to the server.
        public let isConnected: Bool
        /// How often a connection was lost.
        public let disconnections: Int
        /// How many actions were in the stream twice, because of lost connections, and were reduced once.
        public let duplicates: UInt64
        /// How many actions were not reduced because their sender's lease had ended.
        public let fencedActions: UInt64
        /// What went wrong last that may have passed: with a connection, or with a snapshot.
        public let lastProblem: ReplicationError?
        /// Why the replica has stopped; nil while it goes on.
        public let failure: ReplicationError?
    }
#endif
