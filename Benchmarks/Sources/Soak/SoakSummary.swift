import Benchmarking
import Foundation
import Soaking

/// The printed figures of a soak.
struct SoakSummary {
    /// The maximum numbers at one time.
    struct Peak: Sendable {
        var effects = 0
        var observers = 0
    }

    var peak = Peak()
    private var actions = 0
    private var actionsInWindow = 0
    private var windowLength = Duration.zero
    private var rest = Duration.zero
    private var length = Duration.zero
    private var latencies = Histogram()
    private var latenciesInWindow = Histogram()
    private var firstResident: Int?

    /// Adds a window.
    ///
    /// - Parameters:
    ///   - actions: The number of reduced actions since the soak began.
    ///   - length: The length of the window.
    ///   - rest: The time until it was quiescent.
    ///   - latencies: Of each producer.
    mutating func add(actions: Int, in length: Duration, rest: Duration, _ latencies: [Histogram]) {
        actionsInWindow = actions - self.actions
        self.actions = actions
        windowLength = length
        self.rest = rest
        self.length += length + rest
        latenciesInWindow = Histogram()
        for histogram in latencies { latenciesInWindow.add(histogram) }
        self.latencies.add(latenciesInWindow)
        if firstResident == nil { firstResident = ResidentMemory.current }
    }

    /// The last window.
    func line(_ blocks: Int?) -> String {
        let rate = Int(Double(actionsInWindow) / max(windowLength / .seconds(1), 0.001))
        let time = String(format: "%5.0f s", length / .seconds(1))
        return "\(time)  \(rate) actions/s  dispatch \(Self.percentiles(latenciesInWindow))  "
            + "resident \(Self.mebibytes(ResidentMemory.current))  blocks \(blocks.map(String.init) ?? "not counted")  "
            + "at most \(peak.effects) effects, \(peak.observers) observers; at rest after \(Self.milliseconds(rest))"
    }

    /// All windows.
    func text(_ checks: GrowthCheck...) -> String {
        let memory = checks.map { check in
            let growth = check.growthPerThousandActions.map { String(format: "%.4f", $0) } ?? "not known"
            return """
                \(check.quantity) at rest: \(check.points.map { String($0.amount) }.joined(separator: ", "))
                growth in \(check.quantity) for each thousand actions: \(growth)
                """
        }
        return """
            \(actions) actions in \(String(format: "%.0f", length / .seconds(1))) s; dispatch \(Self.percentiles(latencies))
            resident after the first window \(Self.mebibytes(firstResident)), at the end \(Self.mebibytes(ResidentMemory.current))
            \(memory.joined(separator: "\n"))
            """
    }

    private static func percentiles(_ histogram: Histogram) -> String {
        let parts = [("p50", 0.5), ("p99", 0.99), ("p99.9", 0.999), ("max", 1)].map { name, fraction in
            "\(name) \(String(format: "%.1f", Double(histogram.value(at: fraction)) / 1_000)) µs"
        }
        return parts.joined(separator: " ")
    }

    private static func mebibytes(_ bytes: Int?) -> String {
        bytes.map { String(format: "%.1f MiB", Double($0) / 1_048_576) } ?? "not known"
    }

    private static func milliseconds(_ duration: Duration) -> String {
        String(format: "%.0f ms", duration / .milliseconds(1))
    }
}
