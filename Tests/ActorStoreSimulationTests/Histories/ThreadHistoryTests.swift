import ActorStore
import ActorStoreSimulation
import Foundation
import Testing

@testable import TestFixtures

@Suite("Histories on real threads", .timeLimit(.minutes(10)))
struct ThreadHistoryTests {
    /// `HISTORIES` overrides it: under a sanitizer each takes twenty times as long.
    private static let count = ProcessInfo.processInfo.environment["HISTORIES"].flatMap(Int.init) ?? 2_000

    @Test("2,000 short histories of 8 tasks that dispatch, send and read are linearizable")
    func manyShortHistories() async throws {
        var generator = SimulationGenerator(seed: 1)
        var overlapping = 0
        var undecided = 0
        let threads = Threads(count: 8)
        defer { threads.stop() }
        for _ in 0..<Self.count {
            let store = Store(initialState: Tally(), reduce: reduceSlowly)
            let told = Collector<Tally>()
            let values = store.values(of: \.entries, buffering: .unbounded)
            let history = StoreHistory(of: StoreAccess(store))
            let plans = (0..<8).map { _ in (0..<3).map { _ in generator.element(of: TallyOperation.allCases) } }
            let line = StartLine(count: plans.count)
            let tasks = plans.enumerated().map { number, plan in
                let sender = history.sender(number)
                return Task(executorPreference: threads) {
                    line.wait()
                    let numbers = Tally.Numbers()
                    for operation in plan { try await operation.perform(by: sender, numbers) }
                    await sender.state()
                }
            }
            for task in tasks { try await task.value }
            let entries = await store.state.entries
            await store.shutdown(drain: .finishEffects)
            for await entries in values { told.append(Tally(entries: entries)) }
            do {
                try history.check(initialState: Tally(), reduce: Tally.reduce)
            } catch is UndecidedHistory {
                undecided += 1
            }
            try ObservedPath(of: entries, from: Tally(), part: { $0 }, reduce: Tally.reduce)
                .check(told.elements, isGapless: true)
            if history.history.hasOverlaps { overlapping += 1 }
        }
        // Otherwise the test would prove nothing.
        #expect(overlapping > 0)
        #expect(undecided <= Self.count / 100)
    }
}

/// So slow that others can come meanwhile, but not so that all overlap: the check of such a history has too many orders
/// to try.
private func reduceSlowly(_ tally: inout Tally, _ entry: Tally.Entry) {
    var generator = SimulationGenerator(seed: UInt64(entry.number))
    for _ in 0..<300 { _ = generator.next() }
    Tally.reduce(&tally, entry)
}

extension History {
    /// Whether any two operations overlapped.
    var hasOverlaps: Bool {
        var latestEnd: UInt64 = 0
        return operations.contains { operation in
            defer { latestEnd = max(latestEnd, operation.respondedAt ?? latestEnd) }
            return operation.invokedAt < latestEnd
        }
    }
}

/// Blocks threads until all have arrived, so that they begin together.
private final class StartLine: @unchecked Sendable {
    // Sound: the variable is accessed only under the condition's lock.
    private let condition = NSCondition()
    private var missing: Int

    init(count: Int) { missing = count }

    func wait() {
        condition.withLock {
            missing -= 1
            if missing == 0 { condition.broadcast() }
            while missing > 0 { condition.wait() }
        }
    }
}

/// Threads of the system that run tasks.
private final class Threads: TaskExecutor, @unchecked Sendable {
    // Sound: the variables are accessed only under the condition's lock.
    private let condition = NSCondition()
    private var jobs: [UnownedJob] = []
    private var isStopped = false

    init(count: Int) {
        for _ in 0..<count {
            Thread.detachNewThread { [self] in
                while let job = next() { job.runSynchronously(on: asUnownedTaskExecutor()) }
            }
        }
    }

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        condition.withLock {
            jobs.append(job)
            condition.signal()
        }
    }

    func stop() {
        condition.withLock {
            isStopped = true
            condition.broadcast()
        }
    }

    private func next() -> UnownedJob? {
        condition.withLock {
            while jobs.isEmpty && !isStopped { condition.wait() }
            return jobs.isEmpty ? nil : jobs.removeFirst()
        }
    }
}
