#if Replication
    /// The right to run effects, which one replica has at a time.
    public struct ReplicationLease: Sendable, Codable, Equatable {
        /// Grows with each new lease. Whatever the effects change elsewhere can refuse those with a lower one than it
        /// has seen: they come from a replica that does not know yet that its time is over.
        public let token: UInt64
        /// The origin of who has it.
        public let holder: String

        init(token: UInt64, holder: String) {
            self.token = token
            self.holder = holder
        }
    }
#endif
