import Foundation
import Testing

@testable import Benchmarking

extension BenchmarkingTests {
    @Suite("The histogram")
    struct HistogramTests {
        @Test("The largest numbers can be recorded, and read back")
        func largest() {
            var histogram = Histogram()
            histogram.record(.max)
            histogram.record(.max - 1)
            #expect(histogram.value(at: 0.5) == .max && histogram.maximum == .max && histogram.minimum == .max - 1)
        }

        @Test("Quantiles of skewed values are within a tenth of a percent of the exact ones", arguments: [1, 2, 3])
        func quantilesOfSkewedValues(seed: UInt64) {
            var random = Xorshift(state: seed)
            var histogram = Histogram()
            // From a nanosecond to an hour in picoseconds: most are small, and a few very large.
            let values = (0..<200_000).map { _ in Int(1_000 / (1 - random.nextFraction()).squared) }
            for value in values { histogram.record(value) }
            let sorted = values.sorted()
            for fraction in [0.001, 0.25, 0.5, 0.75, 0.9, 0.99, 0.999, 0.9999] {
                let exact = sorted[Int((fraction * Double(sorted.count)).rounded(.up)) - 1]
                let found = histogram.value(at: fraction)
                #expect(found >= exact)
                #expect(Double(found - exact) <= Double(exact) / 1_000)
            }
            #expect(histogram.value(at: 0) == sorted.first)
            #expect(histogram.value(at: 1) == sorted.last)
            #expect(histogram.count == values.count)
        }

        @Test("Each bucket begins at the end of the previous one, and contains its own values")
        func bucketsAreContiguous() {
            for index in 0..<40_000 {
                #expect(Histogram.lowestValue(at: index + 1) == Histogram.highestValue(at: index) + 1)
                #expect(Histogram.index(of: Histogram.lowestValue(at: index)) == index)
                #expect(Histogram.index(of: Histogram.highestValue(at: index)) == index)
            }
        }

        @Test("Small values are counted exactly")
        func smallValuesAreExact() {
            var histogram = Histogram()
            for value in 0...2_047 { histogram.record(value) }
            #expect(histogram.value(at: 0.5) == 1_023)
            #expect(histogram.mean == 1_023.5)
        }

        @Test("A histogram written as JSON is read back unchanged", arguments: [[], [0], [7, 7, .max, 123_456]])
        func coding(values: [Int]) throws {
            var histogram = Histogram()
            for value in values { histogram.record(value) }
            let text = try JSONFormat.text(of: histogram)
            #expect(try JSONFormat.decode(Histogram.self, from: Data(text.utf8)) == histogram)
        }

        @Test(
            "A bucket outside the range makes an invalid histogram",
            arguments: ["[-1, 1]", "[55296, 1]", "[1, 0]", "[1]"]
        )
        func damage(bucket: String) {
            let text = "{\"counts\": [\(bucket)], \"minimum\": 0, \"maximum\": 0}"
            #expect(throws: DecodingError.self) { try JSONFormat.decode(Histogram.self, from: Data(text.utf8)) }
        }

        @Test("Adding a histogram equals recording its values")
        func addition() {
            var random = Xorshift(state: 9)
            var parts = [Histogram(), Histogram()]
            var whole = Histogram()
            for number in 0..<10_000 {
                let value = Int(random.next() >> UInt64(1 + number % 60))
                parts[number % 2].record(value)
                whole.record(value)
            }
            var sum = parts[0]
            sum.add(parts[1])
            #expect(sum == whole)
            sum.add(Histogram())
            #expect(sum == whole)
        }

        @Test("A histogram without values reports that instead of trapping")
        func empty() {
            let histogram = Histogram()
            #expect(histogram.count == 0)
            #expect(histogram.value(at: 0.99) == 0)
            #expect(histogram.mean == 0)
            #expect(histogram.cumulativeCounts.isEmpty)
        }

        @Test("Exact quantiles lie between their neighbours")
        func exactQuantiles() {
            let quantiles = Quantiles([4, 1, 3, 2])
            #expect(quantiles[0] == 1)
            #expect(quantiles[0.5] == 2.5)
            #expect(quantiles[1] == 4)
            #expect(Quantiles([])[0.5].isNaN)
        }
    }
}

extension Double {
    fileprivate var squared: Double { self * self }
}

/// Numbers that look random, and are the same each time. (Marsaglia, "Xorshift RNGs", 2003.)
struct Xorshift {
    var state: UInt64

    mutating func next() -> UInt64 {
        state ^= state << 13
        state ^= state >> 7
        state ^= state << 17
        return state
    }

    /// From 0 to less than 1.
    mutating func nextFraction() -> Double { Double(next() >> 11) / Double(1 << 53) }
}
