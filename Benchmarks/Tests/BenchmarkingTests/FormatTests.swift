import Foundation
import Testing

@testable import Benchmarking

#if canImport(FoundationXML)
    import FoundationXML
#endif

extension BenchmarkingTests {
    @Suite("Formats")
    struct FormatTests {
        private let report = Report.example

        @Test("JSON is a list of objects with name, parameters, metrics, baseline and ratio")
        func json() throws {
            let text = try ReportFormat.json.text(of: report)
            let list = try #require(try JSONSerialization.jsonObject(with: Data(text.utf8)) as? [[String: Any]])
            #expect(list.count == 3)
            #expect(list[0]["name"] as? String == "suite/fast \"one\"")
            let parameters = try #require(list[0]["parameters"] as? [String: Any])
            #expect(parameters["producers"] as? Int == 8)
            #expect(parameters["load"] as? Double == 0.5)
            #expect(parameters["kind"] as? String == "a & b")
            let metrics = try #require(list[0]["metrics"] as? [String: [String: Any]])
            let time = try #require(metrics["wallClock"])
            #expect(Set(time.keys) == ["unit", "samples", "p0", "p25", "p50", "p75", "p90", "p99", "p99.9", "p100"])
            #expect(time["p50"] as? Double == 20)
            #expect(list[0]["baseline"] as? String == "slow")
            let ratio = try #require(list[0]["ratio"] as? [String: Double])
            #expect(ratio == ["p25": 0.25, "p50": 0.5, "p75": 0.75])
            #expect(list[1]["baseline"] == nil)
        }

        @Test("JSON read back is what was written")
        func jsonRoundTrip() throws {
            let text = try ReportFormat.json.text(of: report)
            let results = try JSONFormat.decode([BenchmarkResult].self, from: Data(text.utf8))
            #expect(try JSONFormat.text(of: results) == text)
            #expect(results[0].metrics == report.results[0].metrics)
        }

        @Test("JMH has the field names that its viewers read")
        func jmh() throws {
            let text = try ReportFormat.jmh.text(of: report)
            let list = try #require(try JSONSerialization.jsonObject(with: Data(text.utf8)) as? [[String: Any]])
            let entry = try #require(list.first)
            let fields: Set = [
                "jmhVersion", "benchmark", "mode", "threads", "forks", "warmupIterations", "measurementIterations",
                "params",
                "primaryMetric", "secondaryMetrics",
            ]
            #expect(fields.isSubset(of: entry.keys))
            #expect(entry["threads"] as? Int == 8)
            #expect((entry["params"] as? [String: String])?["producers"] == "8")
            let score = try #require(entry["primaryMetric"] as? [String: Any])
            let scoreFields: Set = [
                "score", "scoreError", "scoreConfidence", "scorePercentiles", "scoreUnit", "rawData",
            ]
            #expect(Set(score.keys) == scoreFields)
            #expect(score["scoreUnit"] as? String == "ns/op")
            #expect((score["rawData"] as? [[Double]]) == [[10, 20, 30]])
            let value = try #require(score["score"] as? Double)
            #expect(abs(value - 20) < 0.1)
        }

        @Test("The percentile distribution has HdrHistogram's columns, rising to 1")
        func hdr() throws {
            let text = try ReportFormat.hdr.text(of: report)
            #expect(text.contains("Value     Percentile TotalCount 1/(1-Percentile)"))
            let rows = text.split(separator: "\n").filter { $0.first == " " && !$0.contains("Value") }
                .map { $0.split(separator: " ").compactMap { Double($0) } }
            #expect(rows.count == 3)
            #expect(rows.allSatisfy { $0.count >= 3 })
            #expect(zip(rows, [10, 20, 30]).allSatisfy { abs($0[0] - $1) <= $1 / 1_000 })
            #expect(rows.map { $0[2] } == [1, 2, 3])
            #expect(rows.last?[1] == 1)
            #expect(text.contains("#[Mean"))
            #expect(text.contains("Total count"))
        }

        @Test("Markdown and tables have a row for each result, and name what was not measured")
        func tables() throws {
            let markdown = try ReportFormat.markdown.text(of: report)
            #expect(markdown.contains("| fast \"one\" | kind=a & b load=0.500 producers=8 | 20.0 |"))
            #expect(markdown.contains("0.500 x slow (0.250 to 0.750)"))
            let table = try ReportFormat.table.text(of: report)
            #expect(table.contains("0.500 x slow (0.250 to 0.750)"))
            #expect(table.contains("unknown : not measured"))
        }

        @Test("The page is well-formed, needs no network, and escapes names")
        func html() throws {
            let text = try ReportFormat.html.text(of: report)
            #expect(text.contains("kind=a &amp; b"))
            #expect(!text.contains("http://") && !text.contains("https://"))
            for picture in text.split(separator: "<svg ").dropFirst() {
                let end = try #require(picture.range(of: "</svg>"))
                let svg = "<svg " + picture[..<end.upperBound]
                #expect(XMLParser(data: Data(svg.utf8)).parse(), "\(svg.prefix(300))")
            }
            #expect(text.contains("<svg"))
        }

        @Test(
            "Numbers have three digits and separators",
            arguments: [
                (0.0, "0"), (0.02134, "0.0213"), (0.5, "0.500"), (4.567, "4.57"), (9.999, "10.0"), (23.44, "23.4"),
                (99.96, "100"), (123.4, "123"), (1_234_567, "1,234,567"), (-4.567, "-4.57"), (.nan, "-"),
            ]
        )
        func numbers(value: Double, text: String) {
            #expect(NumberText.short(value) == text)
        }

        @Test("A flame graph counts stacks, and puts callers below what they called")
        func flameGraph() {
            let script = """
                bench 1 100: 1 cpu-clock:
                	7f01 inner+0x12 (lib.so)
                	7f02 outer+0x1 (lib.so)

                bench 1 101: 1 cpu-clock:
                	7f02 outer+0x1 (lib.so)

                """
            let svg = FlameGraph(perfScript: script).svg
            #expect(XMLParser(data: Data(svg.utf8)).parse())
            #expect(svg.contains("<title>outer 100.0 %</title>"))
            #expect(svg.contains("<title>inner 50.0 %</title>"))
        }
    }
}

extension Report {
    /// Three results: one with all there is, its baseline, and one that could not be measured.
    static var example: Report {
        var histogram = Histogram()
        for value in [10_000, 20_000, 30_000] { histogram.record(value) }
        let time = Metric(unit: "ns", values: [10, 20, 30])
        let parameters: Parameters = ["producers": 8, "load": 0.5, "kind": "a & b"]
        var fast = BenchmarkResult(
            name: "suite/fast \"one\"",
            parameters: parameters,
            metrics: [.wallClock: time, .mallocCountTotal: Metric(unit: "count", values: [2])],
            histogram: histogram,
            rounds: [10, 20, 30]
        )
        fast.setRatios([("slow", Ratio(rounds: [0, 0.25, 0.5, 0.75, 1]))])
        let slow = BenchmarkResult(name: "suite/slow", parameters: parameters, metrics: [.wallClock: time])
        let unknown = BenchmarkResult(name: "suite/unknown", parameters: [:], metrics: [:])
        return Report(machine: .current(), results: [fast, slow, unknown])
    }
}
