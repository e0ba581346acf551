import Foundation
import Testing

@testable import Benchmarking

extension BenchmarkingTests {
    @Suite("The command line")
    struct CommandTests {
        private let folder = FileManager.default.temporaryDirectory.appendingPathComponent("bench-\(UUID())")

        init() throws {
            try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        }

        private static let brief = Configuration(
            sampleNanoseconds: 10_000,
            nanoseconds: 1_000_000,
            minimumSamples: 3,
            maximumSamples: 5
        )

        private static let suites = [
            Suite(
                "suite",
                [
                    Benchmark("allocates", parameters: ["size": 1], comparedWith: ["does not"], configuration: brief) {
                    } measure: { _, count in
                        for _ in 0..<count { blackHole(Object()) }
                    },
                    Benchmark("does not", parameters: ["size": 1], configuration: brief) {
                    } measure: { _, count in
                        for number in 0..<count { blackHole(number) }
                    },
                ]
            )
        ]

        private final class Object: Sendable {}

        private var output: String { folder.path + "/out" }

        private func run(suites: [Suite] = suites, _ words: String...) async -> Int32 {
            let store = BaselineStore(folder: folder.appendingPathComponent("baselines"))
            return await BenchmarkCommand(suites: suites, arguments: words + ["--quiet"], baselines: store).run()
        }

        /// Writes a file, and returns its path.
        private func file(_ name: String, _ text: String) throws -> String {
            let path = "\(folder.path)/\(name)"
            try Data(text.utf8).write(to: URL(fileURLWithPath: path))
            return path
        }

        private func contents(of name: String) throws -> String {
            try String(contentsOfFile: "\(folder.path)/\(name)", encoding: .utf8)
        }

        // MARK: Words

        @Test(
            "Invalid arguments end with 64",
            arguments: [
                ["--nonsense"], ["nonsense"], ["--format"], ["--format", "xml"], ["--format", "table"],
                ["--output", "x"],
                ["--filter", "("], ["--filter", "no such"], ["--metric", "speed"], ["--time-units", "days"],
                ["baseline"], ["baseline", "update"], ["baseline", "update", "../name"], ["baseline", "read"],
                ["thresholds"], ["thresholds", "check", "--path", "/no/such/file"], ["thresholds", "check", "extra"],
                ["repeat", "suite/does not size=1", "0"], ["repeat", "suite/unknown", "1"], ["--tolerance", "-1"],
                ["--tolerance", "speed=1"], ["run", "twice"], ["report", "/no/such/file", "--path", "/tmp"],
                ["report", "goals"], ["table", "page"], ["table", "page", "--from", "/no/such/file"],
                ["pictures"], ["pictures", "/no/such/file"],
                ["compare", "a", "b", "c", "--against", "d", "e"], ["compare", "a", "b", "--against", "c", "d"],
                ["--from", "/no/such/file"], ["--filter", "does not", "--path", "/no/such/folder/file"],
            ]
        )
        func wrongArguments(words: [String]) async {
            #expect(await BenchmarkCommand(suites: Self.suites, arguments: words).run() == 64)
        }

        @Test("A missing baseline ends with 5", arguments: ["read", "delete", "compare", "check"])
        func noBaseline(word: String) async {
            #expect(await run("baseline", word, "unknown") == 5)
        }

        @Test("A failing benchmark ends with 1, and the others are reported")
        func failure() async throws {
            struct Failure: Error {}
            let fails = Suite(
                "fails",
                [
                    Benchmark("one") {
                        throw Failure()
                    } measure: { (_: Int, _) in
                    }
                ]
            )
            let suites = [fails] + Self.suites
            #expect(await run(suites: suites, "--format", "json", "--path", output) == 1)
            let report = try JSONFormat.decode(Report.self, from: Data(contents(of: "out").utf8))
            #expect(report.hasFailures && !report.isPartial)
            #expect(report.results.map(\.name) == ["fails/one", "suite/allocates", "suite/does not"])
            #expect(report.results.map { $0.hasFailed == true } == [true, false, false])
            #expect(await run(suites: suites, "baseline", "update", "main") == 1)
            #expect(await run("baseline", "read", "main") == 5)
            let limits = #"{"budgets": [{"what": "one", "benchmark": "fails/one", "atMost": 1}]}"#
            #expect(await run(suites: suites, "thresholds", "check", "--path", try file("limits.json", limits)) == 1)
        }

        @Test("An unknown word is answered with the known ones")
        func complaints() {
            do {
                _ = try Arguments(["--format", "xml"])
                Issue.record("xml was accepted.")
            } catch {
                #expect(
                    error.description.hasPrefix("There is no format 'xml'; there are text, markdown, json, influx, ")
                )
            }
        }

        @Test("The usage names each command, option and format")
        func usage() {
            for format in ReportFormat.allCases { #expect(Arguments.usage.contains(format.rawValue)) }
            for unit in TimeUnit.allCases { #expect(Arguments.usage.contains(unit.rawValue)) }
            for name in Tolerances.defaults.keys where name != .liveBlocks {
                #expect(Arguments.usage.contains(name.rawValue))
            }
        }

        @Test("Options can stand before and after the command, and repeated ones add up")
        func options() throws {
            let arguments = try Arguments([
                "--quiet", "baseline", "check", "main", "--metric", "wallClock", "--metric", "cpuTotal", "--scale",
                "--time-units", "seconds", "--no-progress", "--allow-other-machine", "--tolerance", "wallClock=5",
            ])
            #expect(arguments.command == .checkBaseline("main", with: nil))
            #expect(arguments.formatOptions.metrics == [.wallClock, .cpuTotal])
            #expect(arguments.formatOptions.isScaled && arguments.formatOptions.timeUnit == .seconds)
            #expect(arguments.isQuiet && !arguments.showsProgress && arguments.allowsOtherMachine)
            #expect(arguments.tolerances[.wallClock] == 0.05)
            let (a, b) = (["1", "2", "3", "4", "5"], ["6", "7", "8", "9", "10"])
            let runs = try Arguments(["compare"] + a + ["--against"] + b + ["--quiet"])
            #expect(runs.command == .compareRuns(a))
            #expect(runs.against == b && runs.isQuiet)
        }

        // MARK: Running

        @Test("Filters select, skips exclude, and the baselines of selected benchmarks run as well")
        func filters() async throws {
            #expect(await run("--filter", "alloc", "--format", "json", "--path", output) == 0)
            let report = try JSONFormat.decode(Report.self, from: Data(contents(of: "out").utf8))
            #expect(report.results.map(\.name) == ["suite/allocates", "suite/does not"])
            #expect(!report.isPartial)
            let arguments = try Arguments(["--filter", "a", "--skip", "b"])
            #expect(arguments.selects("suite/a"))
            #expect(!arguments.selects("suite/a b"))
        }

        @Test("A folder gets one file, or one for each benchmark, with the extension of the format")
        func folders() async throws {
            #expect(await run("--filter", "does not", "--format", "markdown", "--path", folder.path) == 0)
            #expect(try contents(of: "results.md").contains("## suite"))
            #expect(await run("--format", "histogramPercentiles", "--path", folder.path) == 0)
            #expect(try contents(of: "suite-allocates_size=1.hgrm").contains("#[Mean"))
            #expect(try contents(of: "suite-does_not_size=1.hgrm").contains("#[Mean"))
        }

        @Test("A saved report is written in another format without a run")
        func conversion() async throws {
            let path = try file("report.json", try JSONFormat.text(of: Report.example))
            #expect(await run(suites: [], "--from", path, "--format", "influx", "--path", output) == 0)
            #expect(try contents(of: "out") == ReportFormat.influx.text(of: .example))
        }

        @Test("Reports of parts of a run are merged into one, with the last result of each benchmark")
        func parts() async throws {
            var parts = [Report.example, Report.example, Report.example]
            parts[0].results = [
                BenchmarkResult(example: "a/1", rounds: [1]), BenchmarkResult(example: "a/2", rounds: [2]),
            ]
            parts[1].results = [BenchmarkResult(example: "b/1", rounds: [3])]
            parts[2].results = [BenchmarkResult(example: "a/2", rounds: [4])]
            parts[1].isPartial = true
            parts[2].machine.commit = "def5678"
            parts[0].load.otherProcesses = 0.01
            parts[1].load.otherProcesses = 0.03
            parts[2].load.otherProcesses = nil
            var words: [String] = []
            for (index, part) in parts.enumerated() {
                words += ["--from", try file("part\(index).json", try JSONFormat.text(of: part))]
            }
            words += ["--format", "json", "--path", output]
            #expect(await BenchmarkCommand(suites: [], arguments: words).run() == 130)
            let report = try JSONFormat.decode(Report.self, from: Data(contents(of: "out").utf8))
            #expect(report.results.map(\.name) == ["a/1", "a/2", "b/1"])
            #expect(report.results.map(\.rounds) == [[1], [4], [3]])
            #expect(report.isPartial && report.machine.commit == "abc1234-dirty, def5678")
            #expect(report.load.otherProcesses == 0.02 && report.load.loadBefore == 0.5)
        }

        @Test("SIGINT ends a run after the round, and finished measurements are reported as partial")
        func interruption() async throws {
            let suite = Suite(
                "suite",
                [
                    Benchmark("interrupted", configuration: Self.brief) {
                    } measure: { _, count in
                        // In a sample that counts, after those that determine the number of operations.
                        if count > 1, !Interruption.isRequested {
                            // To the process, because the threads of tasks block signals.
                            kill(getpid(), SIGINT)
                            while !Interruption.isRequested { await Task.yield() }
                        }
                        for number in 0..<count * 100 { blackHole(number) }
                    },
                    Benchmark("never reached", configuration: Self.brief) {
                    } measure: { _, _ in
                        Issue.record("The run goes on after SIGINT.")
                    },
                ]
            )
            #expect(await run(suites: [suite], "--format", "json", "--path", output) == 130)
            let report = try JSONFormat.decode(Report.self, from: Data(contents(of: "out").utf8))
            #expect(report.isPartial)
            #expect(report.results.allSatisfy { !$0.rounds.isEmpty })
            #expect(await run(suites: [suite], "baseline", "update", "main") == 130)
            #expect(await run("baseline", "read", "main") == 5)
        }

        @Test("The progress shows the remaining time, estimated from finished benchmarks")
        func progress() {
            let line = { Progress.line(["suite/a", "suite/b"], done: $0, of: 10, nanoseconds: $1 * 1_000_000_000) }
            #expect(line(0, 5) == "1 of 10: suite/a and 1 more")
            #expect(line(4, 20) == "5 of 10, 30 s left: suite/a and 1 more")
            #expect(line(5, 400) == "6 of 10, 6 min 40 s left: suite/a and 1 more")
            #expect(line(1, 500) == "2 of 10, 1 h 15 min left: suite/a and 1 more")
        }

        // MARK: Baselines

        @Test("A check against a baseline ends with 0, 2 if something is worse or missing, 4 if it is better")
        func baselineCheck() async throws {
            let store = BaselineStore(folder: folder.appendingPathComponent("baselines"))
            func save(_ name: String, _ change: (inout Report) -> Void) throws {
                var report = Report.example
                change(&report)
                try store.save(report, as: name)
            }
            try save("main") { _ in }
            try save("worse") { $0.results[0].ratios = ["slow": Ratio(rounds: [1, 1.1, 1.2])] }
            try save("better") { $0.results[0].metrics[.mallocCountTotal] = Metric(unit: "count", values: [1]) }
            try save("shorter") { $0.results.removeFirst() }
            try save("elsewhere") { $0.machine.processor = "another" }
            #expect(await run("baseline", "check", "main", "main") == 0)
            #expect(await run("baseline", "check", "main", "worse", "--path", output) == 2)
            #expect(try contents(of: "out").contains("WORSE"))
            #expect(await run("baseline", "compare", "main", "worse") == 0)
            #expect(await run("baseline", "check", "main", "better") == 4)
            #expect(await run("baseline", "check", "main", "shorter") == 2)
            #expect(await run("baseline", "check", "main", "shorter", "--filter", "slow") == 0)
            #expect(await run("baseline", "check", "main", "elsewhere") == 1)
            #expect(await run("baseline", "check", "main", "elsewhere", "--allow-other-machine") == 0)
            #expect(await run("baseline", "check", "main", "worse", "--tolerance", "wallClock=200") == 0)
            #expect(await run("baseline", "delete", "main", "worse") == 0)
            #expect(store.names == ["better", "elsewhere", "shorter"])
        }

        @Test("The comparison of runs ends with 2 if the second build is slower")
        func compareRuns() async throws {
            var paths: [String] = []
            for index in 0..<10 {
                let time = (index < 5 ? 100.0 : 120) + Double(index % 5)
                let report = Report(results: [BenchmarkResult(example: "suite/a", rounds: [time, time, time])])
                paths.append(try file("\(index).json", try JSONFormat.text(of: report)))
            }
            let (a, b) = (paths[..<5], paths[5...])
            let command = BenchmarkCommand(
                suites: [],
                arguments: ["compare"] + a + ["--against"] + b + ["--path", output]
            )
            #expect(await command.run() == 2)
            #expect(try contents(of: "out").contains("slower"))
            let reverse = BenchmarkCommand(
                suites: [],
                arguments: ["compare"] + b + ["--against"] + a + ["--path", output]
            )
            #expect(await reverse.run() == 0)
        }

        // MARK: Limits, goals and pages

        private static func limits(_ limit: Double, tolerance: String = "") -> String {
            """
            {"budgets": [{"what": "allocations", "benchmark": "suite/allocates", "parameters": {"size": 1},
                          "metric": "mallocCountTotal", "atMost": \(limit)\(tolerance)}]}
            """
        }

        @Test(
            "A met limit ends with 0, a broken one with 2, one too wide for its tolerance with 4",
            .enabled(if: AllocationCounter.isAvailable)
        )
        func thresholds() async throws {
            #expect(await run("thresholds", "check", "--path", try file("kept.json", Self.limits(1))) == 0)
            #expect(await run("thresholds", "check", "--path", try file("broken.json", Self.limits(0))) == 2)
            let wide = try file("wide.json", Self.limits(3, tolerance: ", \"tolerance\": 10"))
            #expect(await run("thresholds", "check", "--path", wide) == 4)
            #expect(await run("thresholds", "read", "--path", wide) == 0)
            #expect(await run("thresholds", "update", "--path", wide) == 0)
            #expect(try contents(of: "wide.json") == Self.limits(1.1, tolerance: ", \"tolerance\": 10"))
            #expect(await run("thresholds", "check", "--path", wide) == 0)
        }

        @Test("A file of limits with an unknown figure ends with 64")
        func badLimits() async throws {
            let text =
                #"{"budgets": [{"what": "a", "benchmark": "b", "baseline": "c", "percentile": "p99", "atMost": 1}]}"#
            #expect(await run("thresholds", "check", "--path", try file("limits.json", text)) == 64)
        }

        @Test("A report writes its pages, and the table of a page is outdated until it is renewed")
        func pages() async throws {
            let goals = try file("goals.json", Self.limits(1))
            let report = try file("report.json", try JSONFormat.text(of: Report.example))
            #expect(await run("report", goals, "--from", report, "--path", folder.path) == 0)
            #expect(
                try contents(of: "RESULTS.md").contains("| allocations | 1.00 | - |  | not measured: no such result |")
            )
            let results = folder.path + "/Results/results.json"
            #expect(try contents(of: "Results/results.json") == contents(of: "report.json") + "\n")

            let tables = """
                {"tables": {"A": {"title": "", "columns": [{"title": "time"}],
                                  "rows": [{"label": "slow", "benchmark": "suite/slow",
                                            "parameters": {"producers": 8, "load": 0.5, "kind": "a & b"}}]}}}
                """
            let options = ["--tables", try file("tables.json", tables), "--from", results]
            let page = try file("README.md", "<!-- figures: A -->\n<!-- end of figures -->\n")
            func table(_ more: String...) async -> Int32 {
                await BenchmarkCommand(suites: [], arguments: ["table", page] + options + more).run()
            }
            #expect(await table("--check") == 2)
            #expect(try !contents(of: "README.md").contains("slow"))
            #expect(await table() == 0)
            #expect(try contents(of: "README.md").contains("| slow | 20.0 ns |"))
            #expect(await table("--check") == 0)
        }
    }
}
