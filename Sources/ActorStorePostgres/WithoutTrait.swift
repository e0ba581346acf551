#if !Postgres
    public import ActorStorePersistence

    /// A log in a PostgreSQL database. It requires the package trait `Postgres`.
    @available(
        *,
        unavailable,
        message: "Enable the trait Postgres in your package's dependency on swift-actor-store, and install libpq-dev."
    )
    public struct PostgresLog: ActionLog {
        /// Unavailable without the trait.
        public var name: String { "" }

        /// Unavailable without the trait.
        public init(_ server: PostgresServer, stream: String, schema: String = "") {}

        /// Unavailable without the trait.
        public func connect() throws(ActionLogError) -> any ActionLogConnection {
            throw ActionLogError(.refused, in: name, "The package trait Postgres is not enabled.")
        }
    }

    /// A PostgreSQL server. It requires the package trait `Postgres`.
    @available(
        *,
        unavailable,
        message: "Enable the trait Postgres in your package's dependency on swift-actor-store, and install libpq-dev."
    )
    public struct PostgresServer: Sendable {
        /// Unavailable without the trait.
        public enum Acknowledgement: Sendable, Hashable {
            /// Unavailable without the trait.
            case primary
            /// Unavailable without the trait.
            case standby
        }

        /// Unavailable without the trait.
        public init(
            _ connectionString: String,
            acknowledgement: Acknowledgement = .primary,
            connectionTimeout: Duration = .zero,
            statementTimeout: Duration = .zero,
            allowsLoss: Bool = false
        ) {}
    }
#endif
