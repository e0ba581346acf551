import Foundation

@testable import Benchmarking

/// The inputs of the benchmarks: the output of `perf script`, limits, saved figures; and their histogram.
enum BenchFilesTarget {
    static func run(_ bytes: inout Bytes) {
        switch bytes.below(4) {
        case 0:
            let picture = FlameGraph(perfScript: String(decoding: bytes.remaining(), as: UTF8.self)).svg
            demand(picture.contains("</svg>"), "A picture has no end.")
        case 1:
            let data = Data(bytes.remaining())
            guard let file = try? JSONFormat.decode(BudgetFile.self, from: data) else { return }
            _ = file.budgets.filter { $0.needs("dispatch") }
        case 2:
            guard let report = try? JSONFormat.decode([BenchmarkResult].self, from: Data(bytes.remaining())) else {
                return
            }
            demand((try? JSONFormat.text(of: report)) != nil, "What was decoded cannot be encoded.")
        default:
            histogram(&bytes)
        }
    }

    private static func histogram(_ bytes: inout Bytes) {
        var histogram = Histogram()
        var values: [Int] = []
        while bytes.next() != nil {
            let value = bytes.number()
            histogram.record(value)
            values.append(max(0, value))
        }
        values.sort()
        demand(histogram.count == values.count && histogram.maximum == values.last ?? 0, "Something was not counted.")
        for fraction in [0, 0.5, 0.9, 0.99, 1] where !values.isEmpty {
            let place = max(1, Int((fraction * Double(values.count)).rounded(.up))) - 1
            let (found, exact) = (histogram.value(at: fraction), values[place])
            demand(found >= exact && Double(found - exact) <= Double(exact) / 1_000, "\(found) is not \(exact).")
        }
        demand(histogram.mean >= 0 && histogram.standardDeviation >= 0, "A mean is negative.")
    }
}
