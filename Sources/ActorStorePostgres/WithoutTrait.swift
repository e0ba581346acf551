#if !Postgres
    /// Logs of actions in a PostgreSQL database, which need the trait `Postgres` of the package.
    @available(
        *,
        unavailable,
        message: "Name the trait Postgres where your package depends on swift-actor-store, and install libpq-dev."
    )
    public struct PostgresLog: Sendable {
        /// Is not available without the trait.
        public init(_ server: PostgresServer, stream: String) {}
    }

    /// A PostgreSQL server, which needs the trait `Postgres` of the package.
    @available(
        *,
        unavailable,
        message: "Name the trait Postgres where your package depends on swift-actor-store, and install libpq-dev."
    )
    public struct PostgresServer: Sendable {
        /// Is not available without the trait.
        public init(_ connectionString: String) {}
    }
#endif
