#if Replication
    /// The names of what a stream has on the server. Those with the same braces are in one slot of a cluster.
    struct StreamKeys: Sendable {
        let stream: String

        private func key(_ suffix: String) -> String {
            stream.contains("{") ? "\(stream):\(suffix)" : "{\(stream)}:\(suffix)"
        }

        /// A hash: the newest snapshot.
        var snapshot: String { key("snapshot") }
        /// The one before it.
        var previousSnapshot: String { key("snapshot:previous") }
        /// One that is being written.
        var nextSnapshot: String { key("snapshot:next") }
        /// A hash: how far each replica is, and when it said so.
        var replicas: String { key("replicas") }
        /// The origin of the one that has the lease.
        var lease: String { key("lease") }
        /// The newest token.
        var token: String { key("lease:token") }
    }
#endif
