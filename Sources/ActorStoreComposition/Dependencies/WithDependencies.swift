import ActorStore

/// Overrides dependencies while `operation` runs.
///
/// ```swift
/// let report = withDependencies { $0.rates = .fixed } operation: { makeReport() }
/// ```
///
/// The overrides apply to everything that `operation` calls, and to the tasks that it starts with `Task { }` or in a
/// group, but not to detached tasks. They also apply, even later, to values with a ``Dependency`` that `operation`
/// creates.
///
/// - Parameters:
///   - update: Sets the overrides; all other dependencies are unchanged.
///   - operation: The operation to run.
/// - Returns: The result of `operation`.
/// - Throws: The error of `update` or `operation`.
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
/// The overrides apply as in ``withDependencies(_:operation:)``.
///
/// - Parameters:
///   - isolation: The actor on which this runs; by default the caller's.
///   - update: Sets the overrides; all other dependencies are unchanged.
///   - operation: The operation to run.
/// - Returns: The result of `operation`.
/// - Throws: The error of `update` or `operation`.
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
