@testable import Benchmarking
@testable import FlightReading

/// The command lines of the demo and of the benchmarks, one word per line.
enum ArgumentsTarget {
    static func run(_ bytes: inout Bytes) {
        let isDemo = bytes.isTrue()
        let text = String(decoding: bytes.remaining(), as: UTF8.self)
        let words = text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
        if isDemo { demo(words) } else { bench(words) }
    }

    private static func demo(_ words: [String]) {
        do throws(FlightReading.ArgumentsError) {
            let arguments = try FlightReading.Arguments(parsing: words)
            if let seconds = arguments.durationInSeconds {
                demand(Duration.seconds(seconds) >= .zero && seconds <= 86_400, "It lasts \(seconds) s.")
            }
            demand(arguments.inputPath != "", "A path is empty.")
        } catch {
            demand(FlightFileTarget.isPrintable(error.explanation), "It cannot be printed: \(error.explanation)")
        }
    }

    private static func bench(_ words: [String]) {
        guard let arguments = try? Benchmarking.Arguments(words) else { return }
        for metric in MetricName.allCases {
            demand(arguments.tolerances[metric] >= 0, "The tolerance of \(metric) is \(arguments.tolerances[metric]).")
        }
        if case .repeatOperations(_, let count) = arguments.command { demand(count > 0, "Nothing is repeated.") }
    }
}
