import Foundation

/// Finds out how many cores the process has at the moment, on a machine that others use as well.
///
/// What several threads cost each other shows only while they run at the same time. A virtual machine does not always
/// have all of its cores, and says so late or never; so this measures it: threads that do nothing but compute take as
/// long as one of them alone if each has a core.
struct CoreProbe: Sendable {
    /// How many threads should have a core each.
    let threads: Int
    /// How many of the threads had a core just now: about 1 if they took turns on one, and a little less than their
    /// number if each had its own.
    let cores: @Sendable () -> Double

    init(threads: Int, cores: @escaping @Sendable () -> Double) {
        self.threads = threads
        self.cores = cores
    }

    /// Has so many threads compute for about a millisecond at a time, beside which their start is short.
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

    /// Whether all of them had one.
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
