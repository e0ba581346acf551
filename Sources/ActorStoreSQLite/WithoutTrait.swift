#if !SQLite
    /// A log in a file. It requires the package trait `SQLite`.
    @available(
        *,
        unavailable,
        message:
            "Enable the trait SQLite in your package's dependency on swift-actor-store, and install libsqlite3-dev."
    )
    public struct SQLiteLog: Sendable {
        /// Unavailable without the trait.
        public init(at path: String, largestEntry: Int = 0) {}
    }
#endif
