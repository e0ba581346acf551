import Dispatch
import Testing

/// Runs the tests of a suite on threads that may block.
///
/// Swift's own pool has as many threads as the machine has processors. A test that blocks one of them on a server
/// blocks all other tests, until their time limits.
public struct ThreadsTrait: SuiteTrait, TestTrait, TestScoping {
    /// The trait also applies to nested suites.
    public var isRecursive: Bool { true }

    /// Each test case has a scope, and its suite has none.
    public func scopeProvider(for test: Test, testCase: Test.Case?) -> Self? { testCase == nil ? nil : self }

    /// Runs a test on such a thread.
    public func provideScope(
        for test: Test,
        testCase: Test.Case?,
        performing function: @Sendable () async throws -> Void
    ) async throws {
        try await withTaskExecutorPreference(Threads.shared) { try await function() }
    }

    private final class Threads: TaskExecutor {
        static let shared = Threads()

        private let queue = DispatchQueue(label: "tests that wait", attributes: .concurrent)

        func enqueue(_ job: consuming ExecutorJob) {
            let job = UnownedJob(job)
            queue.async { [self] in job.runSynchronously(on: asUnownedTaskExecutor()) }
        }
    }
}

extension Trait where Self == ThreadsTrait {
    /// For suites whose tests call a log, a server or a process directly, and wait for the response.
    public static var mayWait: Self { Self() }
}
