import ActorStore

/// The body of a function of a dependency that a test does not expect to be called: reports an `ReportedIssue` when
/// it is.
///
/// ```swift
/// static let testValue = RatesClient(load: unimplemented("RatesClient.load"), name: unimplemented("RatesClient.name", placeholder: ""))
/// ```
///
/// - Parameters:
///   - name: Names the function in the issue.
///   - placeholder: What it returns.
///   - fileID: Where this is written; leave the default.
///   - line: Where this is written; leave the default.
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

/// The body of an asynchronous function of a dependency that a test does not expect to be called: reports an
/// `ReportedIssue` when it is, and throws an ``UnimplementedError``.
///
/// - Parameters:
///   - name: Names the function in the issue.
///   - fileID: Where this is written; leave the default.
///   - line: Where this is written; leave the default.
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

/// A function was called that a test has not implemented.
public struct UnimplementedError: Error, Sendable, Equatable, CustomStringConvertible {
    /// The function.
    public let name: String

    /// Creates an error about the function of this name.
    public init(name: String) {
        self.name = name
    }

    /// Names the function.
    public var description: String { "\(name) is not implemented." }
}
