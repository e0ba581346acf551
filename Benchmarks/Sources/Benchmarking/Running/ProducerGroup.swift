import Synchronization

/// The producers of one benchmark, with their threads if there are any.
///
/// All producers begin their share of a sample together: none has the measured object to itself while others are being
/// started.
final class ProducerGroup: Sendable {
    private let producers: Producers
    private let threads: [ThreadExecutor]

    init(_ producers: Producers) {
        self.producers = producers
        threads = if case .threads(let count) = producers { (0..<count).map { _ in ThreadExecutor() } } else { [] }
    }

    deinit {
        for thread in threads { thread.stop() }
    }

    /// Divides operations among the producers, and waits for all.
    ///
    /// - Parameter body: Runs the given number of operations; called once for each producer.
    /// - Returns: The shortest time of a producer's share, as a fraction of the longest, both from the common start;
    ///   nil for one producer. 1 is fair, and *n* producers that each run to the end give 1/*n*.
    @concurrent
    func produce(_ count: Int, _ body: @escaping @Sendable (_ share: Int) async throws -> Void) async throws -> Double?
    {
        guard producers != .one else {
            try await body(count)
            return nil
        }
        let barrier = StartBarrier(of: producers.count, running: min(producers.count, Machine.cores))
        return try await withThrowingTaskGroup(of: Int.self) { group in
            for number in 0..<producers.count {
                let share = count / producers.count + (number < count % producers.count ? 1 : 0)
                group.addTask(executorPreference: threads.isEmpty ? nil : threads[number]) {
                    let start = await barrier.arrive()
                    barrier.waitForOthersToRun()
                    try await body(share)
                    return MonotonicClock.now - start
                }
            }
            var shortest = Int.max
            var longest = 1
            for try await time in group {
                shortest = min(shortest, time)
                longest = max(longest, time)
            }
            return Double(shortest) / Double(longest)
        }
    }
}

/// Holds tasks until all of them have arrived, and then until as many run as there are cores: a thread wakes slowly,
/// and meanwhile the first one would have the measured object to itself.
private final class StartBarrier: Sendable {
    /// The nanoseconds within which the others must run if the machine has the cores.
    private static let patience = 10_000_000

    private let count: Int
    private let wanted: Int
    private let waiting = Mutex<[UnsafeContinuation<Int, Never>]>([])
    private let running = Atomic<Int>(0)

    /// - Parameters:
    ///   - count: The number of tasks.
    ///   - running: The number of tasks that can run concurrently.
    init(of count: Int, running: Int) {
        self.count = count
        wanted = running
    }

    /// Waits for the others.
    ///
    /// - Returns: The arrival time of the last one.
    func arrive() async -> Int {
        await withUnsafeContinuation { continuation in
            let all = waiting.withLock { waiting -> [UnsafeContinuation<Int, Never>] in
                waiting.append(continuation)
                return waiting.count == count ? waiting : []
            }
            guard !all.isEmpty else { return }
            let start = MonotonicClock.now
            for continuation in all { continuation.resume(returning: start) }
        }
    }

    /// Occupies the core until enough others have one.
    func waitForOthersToRun() {
        running.add(1, ordering: .relaxed)
        let start = MonotonicClock.now
        while running.load(ordering: .relaxed) < wanted, MonotonicClock.now - start < Self.patience { relax() }
    }
}
