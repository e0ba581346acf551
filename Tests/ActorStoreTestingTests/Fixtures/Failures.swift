import ActorStore

@testable import TestFixtures

/// The messages of test stores' steps that would fail the running test.
nonisolated(nonsending) func failures(
    of steps: nonisolated(nonsending) () async throws -> Void
) async rethrows -> [ReportedIssue] {
    let issues = LockedValue<[ReportedIssue]>([])
    let reporter = StoreIssueReporter { issue in issues.withLock { $0.append(issue) } }
    try await StoreIssueReporter.$scoped.withValue(reporter) { try await steps() }
    return issues.withLock { $0 }
}
