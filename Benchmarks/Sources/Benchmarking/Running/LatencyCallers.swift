import Foundation

/// Callers with a fixed rate, or as fast as they can: one on the task that measures, or several on tasks of their own.
struct LatencyCallers {
    /// What one stretch of time gave.
    struct Slice: Sendable {
        var latencies = LatencyCallers.reservedHistogram
        var operations = 0
        var nanoseconds = 0
        /// When the last operation was to begin, in nanoseconds from the start.
        var schedule = 0
    }

    /// A histogram that need not grow while latencies are recorded, up to seconds.
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

    /// Has operations begin at a fixed rate, and counts each one's latency from the moment at which it should have
    /// begun, also if the one before was late.
    ///
    /// - Parameters:
    ///   - operations: how many operations there are in all.
    ///   - interval: the mean time from one to the next, in nanoseconds; 0 if none waits for its start. One caller
    ///     calls at equal intervals. Several call at random moments, because callers who do not know of each other do.
    ///   - session: what is called.
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
        // When the caller last had to wait, and was there. What it should have begun before that is not late by what is
        // measured, but by the system, which wakes threads late.
        var awake = start
        for _ in 0..<operations {
            let intended = start + Int(due)
            if now < intended {
                await wait(until: intended, isAlone: !isRandom)
                awake = MonotonicClock.now
            }
            // Without a rate each one should begin when the one before has ended.
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

    /// Waits. One caller does that at the clock for the last part of the time, because a sleep ends late; several would
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

/// Times between events that come at random, one a unit of time on average.
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
