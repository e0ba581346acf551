#if !SQLite
    /// Logs of actions in files, which need the trait `SQLite` of the package.
    @available(
        *,
        unavailable,
        message:
            "Enable the trait SQLite in your package's dependency on swift-actor-store, and install libsqlite3-dev."
    )
    public struct SQLiteLog: Sendable {
        /// Is not available without the trait.
        public init(at path: String, largestEntry: Int = 0) {}
    }
#endif
