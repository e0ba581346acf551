extension TaskLocal {
    /// Binds a value while `operation` runs on the caller's actor.
    ///
    /// The operation of `withValue` is of a type that loses the caller's actor: it would run elsewhere, unless it
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
