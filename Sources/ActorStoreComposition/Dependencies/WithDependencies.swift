import ActorStore

/// Overrides dependencies while `operation` runs.
///
/// ```swift
/// let report = withDependencies { $0.rates = .fixed } operation: { makeReport() }
/// ```
///
/// The overrides count in everything that `operation` calls, in the tasks that it starts with `Task { }` or in a group,
/// not in detached ones, and for what it creates and that has a ``Dependency``, also later.
///
/// - Parameters:
///   - update: Sets what is overridden; everything else stays as it is.
///   - operation: What to do.
/// - Returns: what `operation` returns.
@discardableResult
public func withDependencies<Result>(
    _ update: (inout DependencyValues) throws -> Void,
    operation: () throws -> Result
) rethrows -> Result {
    var values = DependencyValues.current
    try update(&values)
    return try DependencyOverrides.$current.withValue(values.overrides, operation: operation)
}

/// Overrides dependencies while an asynchronous `operation` runs, on the executor of the caller.
///
/// - Parameters:
///   - update: Sets what is overridden; everything else stays as it is.
///   - operation: What to do.
///   - isolation: The caller's actor, on which this runs; leave the default.
/// - Returns: what `operation` returns.
@discardableResult
public func withDependencies<Result>(
    isolation: isolated (any Actor)? = #isolation,
    _ update: (inout DependencyValues) throws -> Void,
    operation: nonisolated(nonsending) () async throws -> Result
) async rethrows -> Result {
    var values = DependencyValues.current
    try update(&values)
    return try await DependencyOverrides.$current.withIsolatedValue(values.overrides, operation: operation)
}
