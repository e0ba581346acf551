#if !Redis
    /// Logs of actions in streams of a Redis server, which need the trait `Redis` of the package.
    @available(
        *,
        unavailable,
        message: "Enable the trait Redis in your package's dependency on swift-actor-store, and install libhiredis-dev."
    )
    public struct RedisLog: Sendable {
        /// Is not available without the trait.
        public init(_ server: RedisServer, stream: String) {}
    }

    /// A Redis server, which needs the trait `Redis` of the package.
    @available(
        *,
        unavailable,
        message: "Enable the trait Redis in your package's dependency on swift-actor-store, and install libhiredis-dev."
    )
    public struct RedisServer: Sendable {
        /// Is not available without the trait.
        public init() {}
    }
#endif
