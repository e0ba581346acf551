#if !Redis
    public import ActorStorePersistence

    /// A log in a stream of a Redis server. It requires the package trait `Redis`.
    @available(
        *,
        unavailable,
        message: "Enable the trait Redis in your package's dependency on swift-actor-store, and install libhiredis-dev."
    )
    public struct RedisLog: ActionLog {
        /// Unavailable without the trait.
        public var name: String { "" }

        /// Unavailable without the trait.
        public init(_ server: RedisServer, stream: String, acknowledgement: RedisAcknowledgement = .primary) {}

        /// Unavailable without the trait.
        public func connect() throws(ActionLogError) -> any ActionLogConnection {
            throw ActionLogError(.refused, in: name, "The package trait Redis is not enabled.")
        }
    }

    /// The servers that must have a group. It requires the package trait `Redis`.
    @available(
        *,
        unavailable,
        message: "Enable the trait Redis in your package's dependency on swift-actor-store, and install libhiredis-dev."
    )
    public enum RedisAcknowledgement: Sendable, Hashable {
        /// Unavailable without the trait.
        case primary
        /// Unavailable without the trait.
        case replicas(_ count: Int, within: Duration = .seconds(1))
    }

    /// A Redis server. It requires the package trait `Redis`.
    @available(
        *,
        unavailable,
        message: "Enable the trait Redis in your package's dependency on swift-actor-store, and install libhiredis-dev."
    )
    public struct RedisServer: Sendable {
        /// Unavailable without the trait.
        public enum Address: Sendable, Hashable {
            /// Unavailable without the trait.
            case host(String, port: Int = 6_379)
            /// Unavailable without the trait.
            case socket(path: String)
        }

        /// Unavailable without the trait.
        public init(
            _ address: Address = .host(""),
            user: String? = nil,
            password: RedisPassword? = nil,
            connectTimeout: Duration = .zero,
            answerTimeout: Duration = .zero,
            allowsLoss: Bool = false
        ) {}
    }

    /// The password of a Redis server. It requires the package trait `Redis`.
    @available(
        *,
        unavailable,
        message: "Enable the trait Redis in your package's dependency on swift-actor-store, and install libhiredis-dev."
    )
    public struct RedisPassword: Sendable, ExpressibleByStringLiteral {
        /// Unavailable without the trait.
        public init(_ value: String) {}
        /// Unavailable without the trait.
        public init(fetch: @escaping @Sendable () throws -> String) {}
        /// Unavailable without the trait.
        public init(stringLiteral value: String) {}
    }
#endif
