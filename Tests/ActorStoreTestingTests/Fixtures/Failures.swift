import ActorStore
import Foundation

/// A value behind a lock that the thread sanitizer knows.
final class Guarded<Value>: @unchecked Sendable {
    // Sound: the value is touched only under the lock.
    private let lock = NSLock()
    private var value: Value

    init(_ value: Value) { self.value = value }

    func withLock<Result>(_ body: (inout Value) -> Result) -> Result {
        lock.lock()
        defer { lock.unlock() }
        return body(&value)
    }
}

/// What steps of a test store say instead of failing the test that runs.
nonisolated(nonsending) func failures(
    of steps: nonisolated(nonsending) () async throws -> Void
) async rethrows -> [ReportedIssue] {
    let issues = Guarded<[ReportedIssue]>([])
    let reporter = IssueReporter { issue in issues.withLock { $0.append(issue) } }
    try await IssueReporter.$scoped.withValue(reporter) { try await steps() }
    return issues.withLock { $0 }
}
