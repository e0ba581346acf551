import Foundation

/// Callers with a fixed rate, or at full speed: one on the measuring task, or several on their own tasks.
struct LatencyCallers {
    /// The result of one stretch of time.
    struct Slice: Sendable {
        var latencies = LatencyCallers.reservedHistogram
        var operations = 0
        var nanoseconds = 0
        /// The intended start of the last operation, in nanoseconds from the start.
        var schedule = 0
    }

    /// A histogram that need not grow while latencies up to seconds are recorded.
    static var reservedHistogram: Histogram { Histogram(reservedUpTo: 10_000_000_000_000) }

    private let callers: Producers
    private let threads: [ThreadExecutor]

    init(_ callers: Producers) {
        self.callers = callers
        threads = if case .threads(let count) = callers { (0..<count).map { _ in ThreadExecutor() } } else { [] }
    }

    /// Ends the threads.
    func end() {
        for thread in threads { thread.stop() }
    }

    /// Starts operations at a fixed rate, and counts each latency from its intended start, also if the previous one was
    /// late.
    ///
    /// - Parameters:
    ///   - operations: The total number of operations.
    ///   - interval: The mean time between two starts, in nanoseconds; 0 to start without waiting. One caller calls at
    ///     equal intervals. Several call at random moments, like independent callers.
    ///   - session: The session that is called.
    func offer(_ operations: Int, interval: Double, to session: Benchmark.Session<Int>) async throws -> Slice {
        var slice =
            callers == .one
            ? try await Self.call(operations, interval: interval, isRandom: false, seed: 0, session)
            : try await offerBySeveral(operations, interval, session)
        if let observe = session.observe { slice.latencies = try await observe() }
        return slice
    }

    private func offerBySeveral(
        _ operations: Int,
        _ interval: Double,
        _ session: Benchmark.Session<Int>
    ) async throws -> Slice {
        let start = MonotonicClock.now
        let count = callers.count
        return try await withThrowingTaskGroup(of: Slice.self) { group in
            for number in 0..<count {
                let share = max(1, operations / count)
                group.addTask(executorPreference: threads.isEmpty ? nil : threads[number]) {
                    try await Self.call(
                        share,
                        interval: interval * Double(count),
                        isRandom: true,
                        seed: UInt64(number) &+ 1,
                        session
                    )
                }
            }
            var all = Slice()
            for try await slice in group {
                all.latencies.add(slice.latencies)
                all.operations += slice.operations
                all.schedule = max(all.schedule, slice.schedule)
            }
            all.nanoseconds = MonotonicClock.now - start
            return all
        }
    }

    private static func call(
        _ operations: Int,
        interval: Double,
        isRandom: Bool,
        seed: UInt64,
        _ session: Benchmark.Session<Int>
    ) async throws -> Slice {
        var slice = Slice()
        var random = ExponentialGenerator(seed: seed)
        let start = MonotonicClock.now
        var now = start
        var due = 0.0
        // The last time that the caller had to wait, and was in time. Operations that should have begun before are late
        // by the system, which wakes threads late, and not by the measured operation.
        var awake = start
        for _ in 0..<operations {
            let intended = start + Int(due)
            if now < intended {
                await wait(until: intended, isAlone: !isRandom)
                awake = MonotonicClock.now
            }
            // Without a rate each operation should begin at the end of the previous one.
            let begin = interval == 0 ? now : isRandom ? max(intended, awake) : intended
            _ = try await session.run(begin)
            now = MonotonicClock.now
            slice.latencies.record((now - begin) * 1_000)
            slice.operations += 1
            due += isRandom ? interval * random.next() : interval
        }
        slice.nanoseconds = now - start
        slice.schedule = Int(due)
        return slice
    }

    /// Waits. One caller spins at the clock for the last part of the time, because a sleep ends late; several would
    /// take the cores from each other, and sleep on their threads.
    private static func wait(until intended: Int, isAlone: Bool) async {
        guard isAlone else {
            // Its own thread, on which nothing else runs.
            return blockThread(for: intended - MonotonicClock.now)
        }
        let early = 300_000
        while true {
            let remaining = intended - MonotonicClock.now
            if remaining <= 0 { return }
            if remaining > 2 * early { try? await Task.sleep(for: .nanoseconds(remaining - early)) }
        }
    }
}

private func blockThread(for nanoseconds: Int) {
    if nanoseconds > 0 { Thread.sleep(forTimeInterval: Double(nanoseconds) / 1e9) }
}

/// Times between random events, on average one per unit of time.
private struct ExponentialGenerator {
    private var state: UInt64

    init(seed: UInt64) { state = seed &* 0x9E37_79B9_7F4A_7C15 }

    mutating func next() -> Double {
        // splitmix64 (Steele, Lea and Flood, 2014).
        state &+= 0x9E37_79B9_7F4A_7C15
        var bits = state
        bits = (bits ^ (bits >> 30)) &* 0xBF58_476D_1CE4_E5B9
        bits = (bits ^ (bits >> 27)) &* 0x94D0_49BB_1331_11EB
        bits ^= bits >> 31
        return -log(1 - Double(bits >> 11) * 0x1p-53)
    }
}
