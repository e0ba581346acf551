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

        @Test("JSON has the machine, the load and a list of results with name, parameters, metrics, rounds and ratios")
        func json() throws {
            let text = try ReportFormat.json.text(of: report)
            let whole = try #require(try JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: Any])
            #expect(Set(whole.keys) == ["machine", "load", "date", "isPartial", "results"])
            let list = try #require(whole["results"] as? [[String: Any]])
            #expect(list.count == 4)
            #expect(list[0]["name"] as? String == "suite/fast \"one\"")
            let parameters = try #require(list[0]["parameters"] as? [String: Any])
            #expect(parameters["producers"] as? Int == 8)
            #expect(parameters["load"] as? Double == 0.5)
            #expect(parameters["kind"] as? String == "a & b")
            let metrics = try #require(list[0]["metrics"] as? [String: [String: Any]])
            let time = try #require(metrics["wallClock"])
            #expect(Set(time.keys) == ["unit", "samples", "p0", "p25", "p50", "p75", "p90", "p99", "p99.9", "p100"])
            #expect(time["p50"] as? Double == 20)
            #expect(list[0]["rounds"] as? [Double] == [10, 20, 30])
            #expect(list[0]["ratio"] as? [String: Double] == ["p25": 0.25, "p50": 0.5, "p75": 0.75])
            #expect(list[1]["baseline"] == nil)
            #expect(list[3]["refusal"] as? String == "a sample of 3 operations took 5 ns")
        }

        @Test("JSON that was read back is written unchanged")
        func jsonRoundTrip() throws {
            let text = try ReportFormat.json.text(of: report)
            let read = try JSONFormat.decode(Report.self, from: Data(text.utf8))
            #expect(try JSONFormat.text(of: read) == text)
            #expect(read.results[0].metrics == report.results[0].metrics)
        }

        @Test("JSON has innermost lists and objects on one line, rounds with six digits, and unchanged texts")
        func jsonLists() throws {
            var report = report
            report.results[0].rounds = [1.23456789, 1_234_567.8, 0.000123456789]
            report.results[1].name = "suite/a [  \"b\\ {  1,\n 2 ]"
            let text = try ReportFormat.json.text(of: report)
            #expect(text.contains("\"rounds\" : [1.23457, 1234568, 0.000123457]"))
            #expect(text.contains("\"ratio\" : {\"p25\" : 0.25, \"p50\" : 0.5, \"p75\" : 0.75}"))
            // Of the result before the text with a quote in it, and of that result.
            #expect(text.matches(of: /"parameters" : \{"kind"/).count == 2)
            let read = try JSONFormat.decode(Report.self, from: Data(text.utf8))
            #expect(read.results[1].name == report.results[1].name)
        }

        @Test("JMH output has the field names that its viewers read")
        func jmh() throws {
            let text = try ReportFormat.jmh.text(of: report)
            let list = try #require(try JSONSerialization.jsonObject(with: Data(text.utf8)) as? [[String: Any]])
            // A refused result has no entry.
            #expect(list.count == 2)
            let entry = try #require(list.first)
            let fields: Set = [
                "jmhVersion", "benchmark", "mode", "threads", "forks", "warmupIterations", "measurementIterations",
                "params", "primaryMetric", "secondaryMetrics",
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

        @Test("The entries of github-action-benchmark have a name, a unit, a value, a range and the ratios")
        func smallerIsBetter() throws {
            let text = try ReportFormat.jsonSmallerIsBetter.text(of: report)
            let list = try #require(try JSONSerialization.jsonObject(with: Data(text.utf8)) as? [[String: Any]])
            #expect(
                list.map { $0["name"] as? String } == [
                    "suite/fast \"one\" kind=a & b load=0.500 producers=8, mallocCountTotal",
                    "suite/fast \"one\" kind=a & b load=0.500 producers=8, wallClock",
                    "suite/slow kind=a & b load=0.500 producers=8, wallClock",
                ]
            )
            #expect(list[1]["unit"] as? String == "ns")
            #expect(list[1]["value"] as? Double == 20)
            #expect(list[1]["range"] as? String == "± 5.00")
            #expect(list[1]["extra"] as? String == "0.500 x slow")
        }

        @Test("InfluxDB's CSV has an annotation, a head and a line for each percentile, with quoted cells")
        func influx() throws {
            let lines = try ReportFormat.influx.text(of: report).split(separator: "\n")
            let annotation = lines[0].dropFirst("#datatype ".count).split(separator: ",")
            #expect(annotation.count == lines[1].split(separator: ",").count)
            #expect(annotation.first == "measurement" && annotation.last == "dateTime:RFC3339")
            // Eight percentiles of three metrics.
            #expect(lines.count == 2 + 3 * 8)
            #expect(
                lines.contains {
                    $0
                        == "suite,\"Example, 3 GHz\",2,Linux 6.1,abc1234-dirty,wallClock,ns,suite/slow kind=a & b load=0.500 "
                        + "producers=8,p50,20.0,3,2026-01-02T03:04:05Z"
                }
            )
            #expect(lines.contains { $0.contains("\"suite/fast \"\"one\"\" kind=a & b load=0.500 producers=8\"") })
        }

        @Test("The percentile distribution has HdrHistogram's columns, rising to 1")
        func histogramPercentiles() throws {
            let text = try ReportFormat.histogramPercentiles.text(of: Report(results: [report.results[0]]))
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

        @Test("The samples of a histogram are one a line, and the table of percentiles has a bar for each")
        func histograms() throws {
            let report = Report(results: [report.results[1], report.results[3]])
            let name = "suite/slow kind=a & b load=0.500 producers=8"
            #expect(try ReportFormat.histogramSamples.text(of: report) == "# \(name) (ns)\n10.0\n20.0\n30.0\n")
            let table = try ReportFormat.histogram.text(of: report)
            #expect(table.hasPrefix(name))
            let row = table.split(separator: "\n").first { $0.hasPrefix("p50 ") }?.split(separator: " ")
            #expect(row == ["p50", "20.0", "#############"])
            #expect(table.contains("3 samples"))
        }

        @Test("The table for a terminal has a row for each result, and names unmeasured and refused ones")
        func text() throws {
            let table = try ReportFormat.text.text(of: report)
            #expect(table.contains("0.500 x slow (0.250 to 0.750)"))
            #expect(table.contains("unknown: not measured"))
            #expect(table.contains("refused: refused, a sample of 3 operations took 5 ns"))
            #expect(!table.contains("77"))
            #expect(table.contains("suite (ns)"))
        }

        @Test("A table has no p99 of fewer than 200 samples, and no p99.9 of fewer than 10,000")
        func fewSamples() throws {
            func cells(_ count: Int) throws -> [Substring] {
                let result = BenchmarkResult(example: "suite/a", rounds: Array(repeating: 5, count: count))
                let text = try ReportFormat.text.text(of: Report(results: [result]))
                return text.split(separator: "\n").last?.split(separator: " ") ?? []
            }
            #expect(try cells(199) == ["a", "5.00", "5.00", "5.00", "5.00", "5.00", "-", "-", "5.00", "199", "-"])
            #expect(try cells(200)[6...7] == ["5.00", "-"])
            #expect(try cells(10_000)[6...7] == ["5.00", "5.00"])
        }

        @Test("A table shows the requested metrics, in the requested unit and scale")
        func options() throws {
            var options = FormatOptions(metrics: [.mallocCountTotal])
            let counts = try ReportFormat.text.text(of: report, options)
            #expect(counts.contains("suite, mallocCountTotal (count)") && !counts.contains("suite, wallClock"))
            options = FormatOptions(metrics: [.wallClock], isScaled: true, timeUnit: .microseconds)
            let times = try ReportFormat.text.text(of: report, options)
            #expect(times.contains("suite, wallClock (µs) *"))
            // 20 ns an operation are 20 µs for 1,000.
            #expect(times.contains("10.0  15.0  20.0  25.0"))
            let markdown = try ReportFormat.markdown.text(of: report, options)
            #expect(markdown.contains("| 20.0 µs |") && !markdown.contains("mallocCountTotal"))
            #expect(try ReportFormat.json.text(of: report, options) == ReportFormat.json.text(of: report))
        }

        @Test("The page is well-formed, needs no network, and escapes names")
        func html() throws {
            let text = try ReportFormat.html.text(of: report)
            #expect(text.contains("kind=a &amp; b"))
            #expect(!text.contains("http://") && !text.contains("https://"))
            #expect(text.contains("refused, a sample of 3 operations took 5 ns") && !text.contains("77"))
            for picture in text.split(separator: "<svg ").dropFirst() {
                let end = try #require(picture.range(of: "</svg>"))
                let svg = "<svg " + picture[..<end.upperBound]
                #expect(XMLParser(data: Data(svg.utf8)).parse(), "\(svg.prefix(300))")
            }
            #expect(text.contains("<svg"))
        }

        @Test("A flame graph counts stacks, and puts callers below their callees")
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

    @Suite("Numbers")
    struct NumberTests {
        @Test(
            "Numbers have three digits and separators",
            arguments: [
                (0.0, "0"), (0.02134, "0.0213"), (0.5, "0.500"), (4.567, "4.57"), (9.999, "10.0"), (23.44, "23.4"),
                (99.96, "100"), (123.4, "123"), (1_234_567, "1,234,567"), (-4.567, "-4.57"), (.nan, "-"),
            ]
        )
        func short(value: Double, text: String) {
            #expect(NumberText.short(value) == text)
        }

        @Test(
            "Times have a suitable unit",
            arguments: [
                (29.54, "29.5 ns"), (0.4, "0.400 ns"), (999.9, "1.00 µs"), (1_240, "1.24 µs"), (19_500_000, "19.5 ms"),
                (2.5e9, "2.50 s"), (-1_500, "-1.50 µs"), (0, "0 ns"),
            ]
        )
        func times(nanoseconds: Double, text: String) {
            #expect(NumberText.time(nanoseconds) == text)
        }

        @Test("A range of times has one unit, and a rate a thousand or a million")
        func ranges() {
            #expect(NumberText.times(950, 1_050) == "950 to 1,050 ns")
            #expect(NumberText.times(18_100, 75_800) == "18.1 to 75.8 µs")
            #expect(NumberText.time(1_500, in: .nanoseconds) == "1,500 ns")
            #expect([850, 12_345, 34_500_000].map(NumberText.rate) == ["850", "12.3 k", "34.5 M"])
        }

        @Test(
            "A count is never negative, and has its noise",
            arguments: [
                ([0.0, 0, 0], "0"), ([-0.0005, -0.0005, 0.002], "0 ± 0.01"), ([3.0, 3, 3], "3"),
                ([2.9, 3, 3.1], "3 ± 0.0500"),
                ([0.85, 0.85, 0.85], "0.850"), ([-0.02, -0.02, -0.02], "0"),
            ]
        )
        func counts(values: [Double], text: String) {
            #expect(NumberText.count(Metric(unit: "count", values: values)) == text)
        }
    }
}
