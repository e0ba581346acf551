#if !SQLite
    /// Logs of actions in files, which need the trait `SQLite` of the package.
    @available(
        *,
        unavailable,
        message: "Name the trait SQLite where your package depends on swift-actor-store, and install libsqlite3-dev."
    )
    public struct SQLiteLog: Sendable {
        /// Is not available without the trait.
        public init(at path: String, largestEntry: Int = 0) {}
    }
#endif
