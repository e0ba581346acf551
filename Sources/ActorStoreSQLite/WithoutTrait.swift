#if !SQLite
    public import ActorStorePersistence

    /// A log of actions in a file. It requires the package trait `SQLite`.
    @available(
        *,
        unavailable,
        message:
            "Enable the trait SQLite in your package's dependency on swift-actor-store, and install libsqlite3-dev."
    )
    public struct SQLiteLog: ActionLog {
        /// Unavailable without the trait.
        public var name: String { "" }

        /// Unavailable without the trait.
        public enum Acknowledgement: Sendable, Hashable {
            /// Unavailable without the trait.
            case disk
            /// Unavailable without the trait.
            case system
        }

        /// Unavailable without the trait.
        public init(at path: String, acknowledgement: Acknowledgement = .disk, largestEntry: Int = 0) throws {}

        /// Unavailable without the trait.
        public func connect() throws(ActionLogError) -> any ActionLogConnection {
            throw ActionLogError(.refused, in: name, "The package trait SQLite is not enabled.")
        }
    }
#endif
