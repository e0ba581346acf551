extension TaskLocal {
    /// Binds a value while `operation` runs on the caller's actor.
    ///
    /// The type of `withValue`'s operation loses the caller's actor: the operation would run elsewhere, unless it
    /// captures that actor, as it does here.
    package func withIsolatedValue<Result>(
        _ value: Value,
        isolation: isolated (any Actor)? = #isolation,
        operation: nonisolated(nonsending) () async throws -> Result
    ) async rethrows -> Result {
        try await withValue(value) {
            _ = isolation
            return try await operation()
        }
    }
}
