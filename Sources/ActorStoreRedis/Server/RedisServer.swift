#if Redis
    /// The address of a Redis server, with its login and timeouts.
    ///
    /// ```swift
    /// let server = RedisServer(.host("10.0.0.7"), user: "shop", password: RedisPassword { try secrets.read("redis") })
    /// ```
    ///
    /// The server needs Redis 7 or later (or Valkey) with `appendonly yes`, `appendfsync always`,
    /// `aof-load-truncated no`, `no-appendfsync-on-rewrite no` and a `maxmemory-policy` that does not evict keys of the
    /// log, such as `noeviction`.
    ///
    /// The connection is not encrypted. Use a tunnel on networks that you do not trust. In a Redis Cluster, all keys of
    /// a log are in one hash slot; use the address of the node that has it.
    public struct RedisServer: Sendable {
        /// The address of a server.
        public enum Address: Sendable, Hashable {
            /// A TCP address: a host name or an IP address, and a port from 1 to 65,535.
            case host(String, port: Int = 6_379)
            /// The path of a Unix socket, of up to 107 bytes.
            case socket(path: String)
        }

        /// The address of the server.
        public var address: Address
        /// The ACL user; nil for the default user.
        public var user: String?
        /// The password; nil if the server needs none.
        public var password: RedisPassword?
        /// The timeout for the lookup of the server's name and for connecting to it.
        public var connectTimeout: Duration
        /// The timeout for the answer to a command. Each transferred megabyte adds a second.
        public var answerTimeout: Duration
        /// Whether to accept settings with which the server can lose acknowledged entries.
        ///
        /// By default, connecting to such a server throws `ActionLogError.Code.unsafe`. See ``RedisSettings/hazards``.
        public var allowsLoss: Bool

        /// Creates a server description. It does not connect.
        ///
        /// - Parameters:
        ///   - address: The address of the server.
        ///   - user: The ACL user; nil for the default user.
        ///   - password: The password; nil if the server needs none.
        ///   - connectTimeout: The timeout for the lookup of the server's name and for connecting to it.
        ///   - answerTimeout: The timeout for the answer to a command.
        ///   - allowsLoss: Whether to accept settings with which the server can lose acknowledged entries.
        public init(
            _ address: Address = .host("127.0.0.1"),
            user: String? = nil,
            password: RedisPassword? = nil,
            connectTimeout: Duration = .seconds(5),
            answerTimeout: Duration = .seconds(5),
            allowsLoss: Bool = false
        ) {
            self.address = address
            self.user = user
            self.password = password
            self.connectTimeout = connectTimeout
            self.answerTimeout = answerTimeout
            self.allowsLoss = allowsLoss
        }
    }

    extension RedisServer.Address: CustomStringConvertible {
        /// The host and the port, or the path.
        public var description: String {
            switch self {
            case .host(let host, let port): host.contains(":") ? "[\(host)]:\(port)" : "\(host):\(port)"
            case .socket(let path): path
            }
        }
    }

    extension RedisServer: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
        /// The address.
        public var description: String { "redis \(address)" }
        /// The address.
        public var debugDescription: String { description }
        /// The properties, with a placeholder for the password.
        public var customMirror: Mirror {
            Mirror(
                self,
                children: [
                    "address": address, "user": user as Any, "password": password == nil ? "none" : "(hidden)",
                    "connectTimeout": connectTimeout, "answerTimeout": answerTimeout, "allowsLoss": allowsLoss,
                ]
            )
        }
    }
#endif
