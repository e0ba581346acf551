import ActorStore
import Foundation
import Testing

/// The operations of a random history, and what they have violated.
final class HistorySteps: Sendable {
    private let contents = LockedValue<(steps: [String], violations: [String])>(([], []))

    /// Whether nothing is violated.
    var isClean: Bool { contents.withLock { $0.violations.isEmpty } }

    func begin(_ step: String) { contents.withLock { $0.steps.append(step) } }

    func note(_ violations: [String]) { contents.withLock { $0.violations += violations } }

    func note(_ violation: String) { note([violation]) }

    func expect(_ condition: Bool, _ violation: @autoclosure () -> String) { if !condition { note(violation()) } }

    /// Runs the operations, and returns what they have violated, with the operations until then.
    func violations(of operations: @escaping @Sendable () async -> Void) async -> [String] {
        let isOver = Promise<Void>()
        Task {
            await operations()
            isOver.settle(())
        }
        let limit = Task {
            try await Task.sleep(for: .seconds(300))
            note("it does not end")
            isOver.settle(())
        }
        await isOver.wait()
        limit.cancel()
        let (steps, violations) = contents.withLock { $0 }
        return violations.isEmpty ? [] : violations + ["after:"] + steps
    }
}

/// Runs random histories of many seeds, a few at a time, because most of their time is spent waiting.
///
/// The environment can contain the number of the seeds, `SEEDS`, and the first one, `SEED`.
///
/// - Parameter violations: Runs the history of a seed, and returns what it has violated.
func forEachSeed(_ violations: @escaping @Sendable (UInt64) async -> [String]) async {
    let environment = ProcessInfo.processInfo.environment
    let count = environment["SEEDS"].flatMap { UInt64($0) } ?? 200
    let first = environment["SEED"].flatMap { UInt64($0) } ?? 1
    await withTaskGroup(of: Void.self) { group in
        for seed in first..<first + count {
            if seed >= first + 24 { await group.next() }
            group.addTask {
                let violations = await violations(seed)
                if !violations.isEmpty { Issue.record("Seed \(seed): \(violations.joined(separator: "\n"))") }
            }
        }
    }
}
