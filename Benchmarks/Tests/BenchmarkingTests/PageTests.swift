import Foundation
import Testing

@testable import Benchmarking

#if canImport(FoundationXML)
    import FoundationXML
#endif

extension BenchmarkingTests {
    @Suite("Pages")
    struct PageTests {
        /// A subject with two baselines, one of which has two hundred samples, and a refused result.
        private static var results: [BenchmarkResult] {
            var send = BenchmarkResult(example: "dispatch/send", ["producers": 1], rounds: [20, 30, 40])
                .with(.mallocCountTotal, "count", [-0.0005, -0.0005, 0.002])
                .with(.parallelism, "cores", [1.5])
                .with(.cpuTotal, "ns", [4_500])
                .with(.contextSwitches, "count", [0.001])
            send.setRatios([
                ("B1", Ratio(rounds: [0.2, 0.3, 0.4])), ("B2", Ratio(rounds: [1.1, 1.2, 1.3])),
            ])
            let many = (0..<200).map { Double($0 + 1) * 1_000 }
            let first = BenchmarkResult(example: "dispatch/B1", ["producers": 1], rounds: many)
            let second = BenchmarkResult(example: "dispatch/B2", ["producers": 1], rounds: [1])
                .refused("a sample of 9 operations took 9 ns")
            let other = BenchmarkResult(example: "dispatch/batch", rounds: [5])
            return [send, first, other, second]
        }

        private static func latency(_ name: String, load: Double, samples: Int) -> BenchmarkResult {
            var histogram = Histogram()
            histogram.record(3_000_000, times: samples)
            return BenchmarkResult(
                name: "latency/\(name)",
                parameters: ["load": .real(load)],
                metrics: [
                    .latency: Metric(picoseconds: histogram), .throughput: Metric(unit: "1/s", values: [12_000]),
                    .offeredRate: Metric(unit: "1/s", values: [12_345]),
                ],
                rounds: [3_000]
            )
        }

        private static func lines(_ results: [BenchmarkResult]) -> [String] {
            SuiteTables(results: results).markdown.split(separator: "\n", omittingEmptySubsequences: false).map(
                String.init
            )
        }

        @Test("A suite has a table for each set of compared benchmarks, with a column for each baseline")
        func tables() {
            let lines = Self.lines(Self.results)
            #expect(
                lines[0]
                    == "| benchmark | parameters | median | p25 to p75 | x B1 | x B2 | CPU time | context switches "
                    + "| parallelism | allocations | p99 of samples | operations a sample | samples |"
            )
            #expect(
                lines[2]
                    == "| send | producers=1 | 30.0 ns | 25.0 to 35.0 ns | 0.300 (0.250 to 0.350) | 1.20 (1.15 to 1.25) "
                    + "| 4.50 µs | 0.00100 | 1.50 | 0 ± 0.01 |  | 1,000 | 3 |"
            )
            #expect(lines[3].hasPrefix("| B1 | producers=1 | 101 µs | 50.8 to 150 µs |  |  |"))
            #expect(lines[3].hasSuffix("| 198 µs | 1,000 | 200 |"))
            // An empty line, and the table of benchmarks without a comparison.
            #expect(lines[5] == "")
            #expect(lines[8].hasPrefix("| batch |  | 5.00 ns | 1,000 | 1 |"))
        }

        @Test("A refused result has its reason and no figures")
        func refusal() {
            let row = Self.lines(Self.results)[4]
            #expect(row.hasPrefix("| B2 | producers=1 | refused: a sample of 9 operations took 9 ns |  |  |"))
            #expect(!row.contains("1.00"))
        }

        @Test("A table of latencies has the load, the rates and the percentiles with enough operations")
        func latencies() {
            let few = Self.latency("dispatch", load: 0.5, samples: 199)
            let many = Self.latency("dispatch", load: 0.75, samples: 10_000)
            let refused = Self.latency("dispatch", load: 0.9, samples: 10).refused("attained 12 of 24")
            let lines = Self.lines([few, many, refused])
            #expect(
                lines[0]
                    == "| benchmark | parameters | load | offered, 1/s | attained, 1/s | p50 | p90 | p99 | p99.9 | max "
                    + "| operations |"
            )
            #expect(lines[2] == "| dispatch |  | x 0.500 | 12.3 k | 12.0 k | 3.00 µs | 3.00 µs |  |  | 3.00 µs | 199 |")
            #expect(lines[3].contains("| 3.00 µs | 3.00 µs | 3.00 µs | 3.00 µs | 3.00 µs | 10,000 |"))
            let start = "| dispatch |  | x 0.900 | 12.3 k | 12.0 k "
            #expect(lines[4] == start + "| refused: attained 12 of 24 |  |  |  |  |  |")
        }

        @Test("A table of memory has bytes and blocks")
        func memory() {
            let store = BenchmarkResult(
                name: "memory/a store",
                parameters: [:],
                metrics: [
                    .liveBytes: Metric(unit: "B", values: [680]), .liveBlocks: Metric(unit: "count", values: [3]),
                ]
            )
            let unknown = BenchmarkResult(name: "memory/unknown", parameters: [:], metrics: [:])
            #expect(SuiteTables(results: [store]).markdown.contains("| a store |  | 680 | 3 | 1 |"))
            #expect(SuiteTables(results: [unknown]).markdown.contains("not measured, the allocator cannot count"))
        }

        @Test("The pages are an overview with goals, a page per suite, its plots as files, and their report")
        func pages() throws {
            let report = Report(results: Self.results)
            let goal = Budget(what: "send: ns", benchmark: "dispatch/send", parameters: ["producers": 1], atMost: 40)
            let files = try ResultsPages(report: report, goals: GoalTable([goal], in: report)).files
            #expect(
                files.map(\.path) == [
                    "RESULTS.md", "Results/results.json", "Results/dispatch.md", "Results/dispatch-1.svg",
                ]
            )
            let overview = files[0].text
            let notice = "<!-- Generated by `Perf/results` from Results/results.json. Do not edit. -->"
            #expect(overview.hasPrefix(notice))
            for text in [
                "| commit | abc1234-dirty |", "| Swift | Swift version 6.3 |", "| flags | -c release |",
                "| cores | 2 |",
                "| system | Debian, Linux 6.1 |", "| load before the run | 0.500 |",
                "| cores' time stolen by the hypervisor | 0 % |", "| samples a result | 1 to 200 |",
                "| send: ns | 40.0 | 30.0 | 25.0 to 35.0 | met |", "1 met.",
                "- [dispatch](Results/dispatch.md): 4 results, 1 refused",
            ] {
                #expect(overview.contains(text), "\(text)")
            }
            #expect(files[2].text.contains("![Plot 1 of dispatch](dispatch-1.svg)"))
            #expect(files[2].text.hasPrefix("<!-- Generated by"))
            let picture = files[3].text
            #expect(XMLParser(data: Data(picture.utf8)).parse())
            #expect(picture.hasPrefix("<svg xmlns=\"http://www.w3.org/2000/svg\""))
            #expect(picture.contains("<rect width=\"100%\" height=\"100%\" fill=\"#fff\"/>"))
        }

        @Test("The overview lists failed and unmeasured benchmarks, and the page of the suite has the reason")
        func shortcomings() throws {
            var report = Report(results: Self.results + [Self.latency("dispatch", load: 0.5, samples: 9)])
            let failing = Suite(
                "dispatch",
                [
                    Benchmark("fails", parameters: ["size": 1]) {
                    } measure: { _, _ in
                    }
                ]
            )
            let comparison = Comparison(suite: failing.name, benchmarks: failing.benchmarks)
            report.results += comparison.failedResults("failed: no\nserver")
            let pages = ResultsPages(
                report: report,
                goals: GoalTable([], in: report),
                expected: ["dispatch/send producers=1", "dispatch/gone", "latency/dispatch", "other/a", "other/b"]
            )
            let files = try pages.files
            let overview = files[0].text
            #expect(overview.contains("\n\n**Failed:** 1 benchmarks; the pages of the suites say why.\n\n"))
            #expect(overview.contains("\n\n**Not measured:** 3 benchmarks: 1 of dispatch, 2 of other.\n\n| run |"))
            let page = try #require(files.first { $0.path == "Results/dispatch.md" }).text
            #expect(page.contains("| benchmark | parameters | not measured |\n|---|---|---|\n"))
            #expect(page.contains("| fails | size=1 | failed: no server |"))
        }

        @Test("Pages written again replace those of removed suites")
        func stalePages() throws {
            let folder = FileManager.default.temporaryDirectory.appendingPathComponent("pages-\(UUID())")
            defer { try? FileManager.default.removeItem(at: folder) }
            let names = { try FileManager.default.contentsOfDirectory(atPath: folder.path + "/Results").sorted() }
            try ResultsPages(report: .example, goals: GoalTable([], in: .example)).write(to: folder)
            #expect(try names().contains("suite.md"))
            let report = Report(results: Self.results)
            try ResultsPages(report: report, goals: GoalTable([], in: report)).write(to: folder)
            #expect(try names() == ["dispatch-1.svg", "dispatch.md", "results.json"])
        }

        @Test(
            "A name too long for a plot is shown without its middle",
            arguments: [(3, "abcdef", "a…f"), (6, "abcdef", "abcdef")]
        )
        func longNames(_ count: Int, _ name: String, _ shown: String) {
            #expect(SVG.shortened(name, to: count) == shown)
        }

        @Test("Pages of another origin are kept when pages are written again")
        func otherPages() throws {
            let folder = FileManager.default.temporaryDirectory.appendingPathComponent("pages-\(UUID())")
            defer { try? FileManager.default.removeItem(at: folder) }
            let pages = ResultsPages(report: .example, goals: GoalTable([], in: .example))
            try pages.write(to: folder)
            let other = folder.appendingPathComponent("Results/soak.md")
            try Data("# A soak of an hour\n".utf8).write(to: other)
            try pages.write(to: folder)
            #expect(try String(contentsOf: other, encoding: .utf8) == "# A soak of an hour\n")
        }
    }

    @Suite("Tables of figures")
    struct FigureTableTests {
        private static let definition = """
            {"tables": {"README": {
                "title": "operation",
                "columns": [
                    {"title": "time"}, {"title": "added", "addedTo": "B0"}, {"title": "x B0", "ratioTo": "B0"},
                    {"title": "allocations", "metric": "mallocCountTotal"}
                ],
                "rows": [{"label": "`send`", "benchmark": "dispatch/send", "parameters": {"producers": 1}}]
            }}}
            """

        private static func tables() throws -> FigureTables {
            try JSONFormat.decode(FigureTables.self, from: Data(definition.utf8))
        }

        private static let report: Report = {
            let baseline = BenchmarkResult(example: "dispatch/B0", ["producers": 1], rounds: [10, 20, 30])
            let send = BenchmarkResult(example: "dispatch/send", ["producers": 1], rounds: [37, 46, 57])
                .with(.mallocCountTotal, "count", [0])
            return Report(results: [send.compared(with: baseline), baseline])
        }()

        private static let page = """
            # Title
            <!-- figures: README -->
            old
            <!-- end of figures -->
            The end.
            """

        @Test("A table between the comments is replaced, and the rest of the page is kept")
        func replacement() throws {
            let page = try Self.tables().page(Self.page, from: Self.report, named: "README.md")
            #expect(
                page == """
                    # Title
                    <!-- figures: README -->
                    | operation | time | added | x B0 | allocations |
                    |---|---:|---:|---:|---:|
                    | `send` | 46.0 ns | +27.0 ns (26.5 to 27.0 ns) | 2.30 (2.10 to 3.00) | 0 |
                    <!-- end of figures -->
                    The end.
                    """
            )
            #expect(try Self.tables().page(page, from: Self.report, named: "README.md") == page)
        }

        @Test("A refused result has the word and no figures")
        func refusal() throws {
            var report = Self.report
            report.results[0].refusal = "too short"
            let page = try Self.tables().page(Self.page, from: report, named: "README.md")
            #expect(page.contains("| `send` | refused | refused | refused | refused |"))
        }

        @Test(
            "A page without a table, with an unknown one or with an unterminated one is an error",
            arguments: [
                "", "<!-- figures: unknown -->\n<!-- end of figures -->", "<!-- figures: README -->\n| no end |",
            ]
        )
        func badPages(text: String) throws {
            let tables = try Self.tables()
            #expect(throws: ArgumentsError.self) { try tables.page(text, from: Self.report, named: "README.md") }
            #expect(throws: ArgumentsError.self) { try tables.page(Self.page, from: .example, named: "README.md") }
        }
    }
}
