#if !Redis
    /// A log in a stream of a Redis server. It requires the package trait `Redis`.
    @available(
        *,
        unavailable,
        message: "Enable the trait Redis in your package's dependency on swift-actor-store, and install libhiredis-dev."
    )
    public struct RedisLog: Sendable {
        /// Unavailable without the trait.
        public init(_ server: RedisServer, stream: String) {}
    }

    /// A Redis server. It requires the package trait `Redis`.
    @available(
        *,
        unavailable,
        message: "Enable the trait Redis in your package's dependency on swift-actor-store, and install libhiredis-dev."
    )
    public struct RedisServer: Sendable {
        /// Unavailable without the trait.
        public init() {}
    }
#endif
