import ActorStore

/// Returns a function of a dependency that a test does not expect to be called. Calling it reports a `ReportedIssue`.
///
/// ```swift
/// static let testValue = RatesClient(
///     load: unimplemented("RatesClient.load"),
///     name: unimplemented("RatesClient.name", placeholder: "")
/// )
/// ```
///
/// - Parameters:
///   - name: The name of the function in the issue.
///   - placeholder: The value that the function returns.
///   - fileID: The file of the caller, for diagnostics.
///   - line: The line of the caller, for diagnostics.
/// - Returns: A function that reports an issue, and returns the placeholder.
public func unimplemented<each Argument, Result>(
    _ name: String,
    placeholder: @autoclosure @escaping @Sendable () -> Result,
    fileID: String = #fileID,
    line: UInt = #line
) -> @Sendable (repeat each Argument) -> Result {
    { (_: repeat each Argument) in
        StoreIssueReporter.report("\(name) was called, and is not implemented.", fileID: fileID, line: line)
        return placeholder()
    }
}

/// Returns an asynchronous function of a dependency that a test does not expect to be called. Calling it reports a
/// `ReportedIssue`, and throws an ``UnimplementedError``.
///
/// - Parameters:
///   - name: The name of the function in the issue.
///   - fileID: The file of the caller, for diagnostics.
///   - line: The line of the caller, for diagnostics.
/// - Returns: A function that reports an issue, and throws.
public func unimplemented<each Argument: Sendable, Result>(
    _ name: String,
    fileID: String = #fileID,
    line: UInt = #line
) -> @Sendable (repeat each Argument) async throws -> Result {
    { (_: repeat each Argument) in
        StoreIssueReporter.report("\(name) was called, and is not implemented.", fileID: fileID, line: line)
        throw UnimplementedError(name: name)
    }
}

/// The error of a call of a function that a test has not implemented.
public struct UnimplementedError: Error, Sendable, Equatable, CustomStringConvertible {
    /// The name of the function.
    public let name: String

    /// Creates an error for the function with this name.
    public init(name: String) {
        self.name = name
    }

    /// A message that names the function.
    public var description: String { "\(name) is not implemented." }
}
