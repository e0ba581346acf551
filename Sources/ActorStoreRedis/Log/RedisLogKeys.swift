#if Redis
    import Foundation

    /// The keys of one log. They share a hash tag, so that a cluster keeps them on one node.
    struct RedisLogKeys: Sendable {
        let prefix: String

        init(_ stream: String) { prefix = "{\(stream)}" }

        /// Returns whether a name can be a hash tag.
        static func allows(_ stream: String) -> Bool {
            !stream.isEmpty && stream.utf8.count <= 512
                // Bytes, because a brace with a combining character is another character.
                && !stream.utf8.contains { $0 == UInt8(ascii: "{") || $0 == UInt8(ascii: "}") }
        }

        /// A stream whose entry at position N has the id `N-0`.
        var entries: String { prefix + ":entries" }
        /// A hash: the last number of each origin.
        var origins: String { prefix + ":origins" }
        /// A hash: the format, the identity, the last entry, the last trimmed entry, and the last token.
        var log: String { prefix + ":log" }
        /// A hash: the snapshots, by id.
        var snapshots: String { prefix + ":snapshots" }
        /// A hash: the time of the last write to each unfinished snapshot.
        var unfinished: String { prefix + ":unfinished" }
        /// A hash: the parts of one snapshot, by number.
        func parts(of id: String) -> String { prefix + ":parts:" + id }
        /// A hash: the leases, by name.
        var leases: String { prefix + ":leases" }
        /// A sorted set: the replicas, by the time of their last report.
        var reports: String { prefix + ":reports" }
        /// A hash: the position of each replica.
        var positions: String { prefix + ":positions" }

        /// The keys that all scripts use.
        var common: [String] { [entries, origins, log] }
    }
#endif
