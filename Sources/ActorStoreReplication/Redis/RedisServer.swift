#if Replication
    /// Where a Redis server is, and how to get in.
    ///
    /// The connection is not encrypted: between machines that do not trust the network between them, it belongs in a
    /// tunnel.
    public struct RedisServer: Sendable, Equatable {
        /// How the server is reached.
        public enum Address: Sendable, Equatable {
            /// By TCP.
            case host(String, port: Int)
            /// By a socket in the file system.
            case socket(path: String)
        }

        /// How the server is reached.
        public var address: Address
        /// The user, of servers that have users.
        public var user: String?
        /// The password, of servers that want one.
        public var password: String?
        /// How long to wait for a connection or an answer before the server counts as unreachable.
        public var timeout: Duration

        /// Creates one.
        public init(
            address: Address = .host("127.0.0.1", port: 6_379),
            user: String? = nil,
            password: String? = nil,
            timeout: Duration = .seconds(5)
        ) {
            self.address = address
            self.user = user
            self.password = password
            self.timeout = timeout
        }
    }
#endif
