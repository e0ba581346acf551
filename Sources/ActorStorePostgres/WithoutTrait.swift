#if !Postgres
    /// A log in a PostgreSQL database. It requires the package trait `Postgres`.
    @available(
        *,
        unavailable,
        message: "Enable the trait Postgres in your package's dependency on swift-actor-store, and install libpq-dev."
    )
    public struct PostgresLog: Sendable {
        /// Unavailable without the trait.
        public init(_ server: PostgresServer, stream: String) {}
    }

    /// A PostgreSQL server. It requires the package trait `Postgres`.
    @available(
        *,
        unavailable,
        message: "Enable the trait Postgres in your package's dependency on swift-actor-store, and install libpq-dev."
    )
    public struct PostgresServer: Sendable {
        /// Unavailable without the trait.
        public init(_ connectionString: String) {}
    }
#endif
