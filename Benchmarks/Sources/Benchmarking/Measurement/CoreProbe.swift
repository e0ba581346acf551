import Foundation

/// Measures the number of cores available to the process at the moment, on a shared machine.
///
/// The costs that several threads cause each other are visible only while they run concurrently. A virtual machine does
/// not always have all of its cores, and reports that late or never; so this measures it: computing threads take as
/// long as one of them alone if each has a core.
struct CoreProbe: Sendable {
    /// The number of threads that should have a core each.
    let threads: Int
    /// The number of threads that had a core just now: about 1 if they took turns on one, and slightly less than their
    /// number if each had its own.
    let cores: @Sendable () -> Double

    init(threads: Int, cores: @escaping @Sendable () -> Double) {
        self.threads = threads
        self.cores = cores
    }

    /// Lets a number of threads compute for about a millisecond at a time, which is long compared with their start.
    init(threads: Int) {
        guard threads > 1 else {
            self.init(threads: threads) { 1 }
            return
        }
        let trial = 100_000
        let nanoseconds = (0..<5).map { _ in Self.time { Self.compute(trial) } }.min() ?? 1
        let steps = max(1, Int(Double(trial) * 1_000_000 / Double(max(nanoseconds, 1))))
        self.init(threads: threads) {
            let alone = Self.time { Self.compute(steps) }
            let together = Self.time {
                DispatchQueue.concurrentPerform(iterations: threads) { _ in Self.compute(steps) }
            }
            return min(Double(threads), Double(threads * alone) / Double(max(together, 1)))
        }
    }

    /// Whether all of them had a core.
    var areThere: Bool { cores() >= 0.9 * Double(threads) }

    private static func time(_ body: () -> Void) -> Int {
        let start = MonotonicClock.now
        body()
        return MonotonicClock.now - start
    }

    @inline(never)
    private static func compute(_ steps: Int) {
        var value: UInt64 = 1
        for _ in 0..<steps {
            value = value &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            barrier()
        }
        blackHole(value)
    }
}
