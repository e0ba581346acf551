import Foundation
import Testing

@testable import Benchmarking

extension BenchmarkingTests {
    @Suite("Limits and goals")
    struct BudgetTests {
        private static let baseline = BenchmarkResult(example: "suite/B0", ["size": 4], rounds: [10, 11, 12, 13, 14])
        private static let subject = BenchmarkResult(example: "suite/send", ["size": 4], rounds: [30, 33, 36, 39, 42])
            .compared(with: baseline)
            .with(.mallocCountTotal, "count", [-0.001, 0, 0.008])
        private static let report = Report(results: [subject, baseline])

        private static func budget(
            _ change: (inout Budget) -> Void = { _ in },
            atMost limit: Double = 50
        ) -> Budget {
            var budget = Budget(what: "send", benchmark: "suite/send", parameters: ["size": 4], atMost: limit)
            change(&budget)
            return budget
        }

        private static func figure(in report: Report = report, _ change: (inout Budget) -> Void) -> Figure? {
            switch budget(change).finding(in: report) {
            case .figure(let figure): figure
            case .undecided, .missing: nil
            }
        }

        private static func verdict(
            in report: Report = report,
            atMost limit: Double,
            _ change: (inout Budget) -> Void = { _ in }
        ) -> GoalTable.Verdict {
            GoalTable([budget(change, atMost: limit)], in: report).rows[0].verdict
        }

        // MARK: Figures

        @Test("A figure is the median of the time with its quartiles, or of a metric, or a percentile")
        func metrics() {
            #expect(Self.figure { _ in } == Figure(value: 36, quartiles: .init(lower: 33, upper: 39)))
            #expect(Self.figure { $0.percentile = "p100" } == Figure(value: 42))
            #expect(Self.figure { $0.per = "size" } == Figure(value: 9, quartiles: .init(lower: 8.25, upper: 9.75)))
            // Allocations are never negative.
            let count = Self.figure { $0.metric = .mallocCountTotal }
            #expect(count == Figure(value: 0, quartiles: .init(lower: 0, upper: 0.004)))
        }

        @Test("A ratio to a baseline has the quartiles of the ratio, or is the requested quartile")
        func ratios() {
            // Ratios of 4.2, 3.5, 3, 2.5 and 2.1.
            let send = BenchmarkResult(example: "suite/send", ["size": 4], rounds: [42, 42, 36, 35, 29.4])
                .compared(with: BenchmarkResult(example: "suite/B0", ["size": 4], rounds: [10, 12, 12, 14, 14]))
            let report = Report(results: [send, Self.baseline])
            let figure = Self.figure(in: report) { $0.baseline = "B0" }
            #expect(figure == Figure(value: 3, quartiles: .init(lower: 2.5, upper: 3.5)))
            let quartile = Self.figure(in: report) {
                $0.baseline = "B0"
                $0.percentile = "p25"
            }
            #expect(quartile == Figure(value: 2.5))
        }

        @Test("A difference of interleaved results is one of rounds")
        func pairedDifference() {
            // Rounds of the subject in another order, so that differences of quartiles would be others.
            let send = BenchmarkResult(example: "suite/send", ["size": 4], rounds: [42, 39, 36, 33, 30])
                .compared(with: Self.baseline)
            let figure = Self.figure(in: Report(results: [send, Self.baseline])) {
                $0.reference = Budget.Reference(benchmark: "suite/B0", isSubtracted: true)
            }
            // 32, 28, 24, 20 and 16.
            #expect(figure == Figure(value: 24, quartiles: .init(lower: 20, upper: 28)))
            #expect(figure?.quartileText == "20.0 to 28.0")
        }

        @Test("A difference or quotient of results that are not interleaved is one of quartiles, and marked «apart»")
        func apart() {
            let other = BenchmarkResult(example: "suite/send", ["size": 8], rounds: [60, 66, 72, 78, 84])
            let report = Report(results: [Self.subject, other])
            let difference = Self.figure(in: report) {
                $0.reference = Budget.Reference(parameters: ["size": 8], isSubtracted: true)
            }
            #expect(difference == Figure(value: -36, quartiles: .init(lower: 33 - 78, upper: 39 - 66), isApart: true))
            let quotient = Self.figure(in: report) { $0.reference = Budget.Reference(parameters: ["size": 8]) }
            #expect(quotient == Figure(value: 0.5, quartiles: .init(lower: 33 / 78.0, upper: 39 / 66.0), isApart: true))
            #expect(quotient?.quartileText == "0.423 to 0.591, apart")
            // Fewer rounds than the other one has are not paired.
            let short = BenchmarkResult(example: "suite/B0", ["size": 4], rounds: [10, 11, 12])
            let cut = Self.figure(in: Report(results: [Self.subject, short])) {
                $0.reference = Budget.Reference(benchmark: "suite/B0")
            }
            #expect(cut?.isApart == true)
        }

        @Test("A quotient of single percentiles has no quartiles")
        func percentiles() {
            let figure = Self.figure {
                $0.percentile = "p100"
                $0.reference = Budget.Reference(benchmark: "suite/B0", percentile: "p0")
            }
            #expect(figure == Figure(value: 4.2))
        }

        @Test("A result is found by the numeric value of its parameters, whether or not JSON has them as integers")
        func numbers() {
            let result = BenchmarkResult(example: "suite/send", ["rate": .real(10_000)], rounds: [1])
            let report = Report(results: [result])
            #expect(report.find("suite/send", ["rate": 10_000]) != nil)
            #expect(report.find("suite/send", ["rate": 10_001]) == nil)
            #expect(report.find("suite/send", ["rate": "10,000"]) == nil)
        }

        // MARK: Verdicts

        @Test(
            "A figure meets its limit with its upper quartile, and misses it with its lower one",
            arguments: [(39.0, "met"), (38.9, "not decided"), (33, "not decided"), (32.9, "missed")]
        )
        func quartiles(limit: Double, word: String) {
            let table = GoalTable([Self.budget(atMost: limit)], in: Self.report)
            #expect(table.summary == "1 \(word).")
            #expect(table.isBroken == (word == "missed"))
        }

        @Test("A single percentile is decisive, and allocations meet a limit of zero despite their noise")
        func singleValues() {
            #expect(Self.verdict(atMost: 42) { $0.percentile = "p100" } == .met)
            #expect(Self.verdict(atMost: 41) { $0.percentile = "p100" } == .missed)
            #expect(Self.verdict(atMost: 0) { $0.metric = .mallocCountTotal } == .met)
        }

        @Test("A ratio is undecided if the quartiles of its baseline are more than a factor of two apart")
        func unsteadyBaseline() {
            let unsteady = BenchmarkResult(example: "suite/B0", ["size": 4], rounds: [10, 10, 12, 21, 21])
            let report = Report(results: [Self.subject, unsteady])
            let why = GoalTable.Verdict.notDecided("the quartiles of 'B0' are 10.0 to 21.0 ns")
            #expect(Self.verdict(in: report, atMost: 100) { $0.baseline = "B0" } == why)
            let reference = Budget.Reference(benchmark: "suite/B0")
            #expect(Self.verdict(in: report, atMost: 100) { $0.reference = reference } == why)
            let steady = BenchmarkResult(example: "suite/B0", ["size": 4], rounds: [10, 10, 12, 20, 20])
            #expect(
                Self.verdict(in: Report(results: [Self.subject, steady]), atMost: 100) { $0.baseline = "B0" } == .met
            )
        }

        @Test("A time of fewer than three rounds is undecided, and a count of one is decided")
        func fewRounds() {
            let short = BenchmarkResult(example: "suite/send", ["size": 4], rounds: [30, 33])
                .compared(with: Self.baseline)
                .with(.mallocCountTotal, "count", [0])
            let report = Report(results: [short, Self.baseline])
            let why = GoalTable.Verdict.notDecided("'send' has two rounds only")
            #expect(Self.verdict(in: report, atMost: 100) == why)
            #expect(Self.verdict(in: report, atMost: 100) { $0.baseline = "B0" } == why)
            let reference = Budget.Reference(benchmark: "suite/B0")
            #expect(Self.verdict(in: report, atMost: 100) { $0.reference = reference } == why)
            #expect(Self.verdict(in: report, atMost: 0) { $0.metric = .mallocCountTotal } == .met)
        }

        @Test("A time that misses its limit is measured again, and a count is not")
        func missedTimes() {
            let budgets = [
                Self.budget({ $0.what = "time" }, atMost: 20),
                Self.budget({ ($0.what, $0.baseline) = ("ratio", "B0") }, atMost: 1),
                Self.budget({ ($0.what, $0.metric) = ("count", .mallocCountTotal) }, atMost: -1),
                Self.budget({ $0.what = "kept" }, atMost: 50),
                Self.budget({ $0.what = "undecided" }, atMost: 35),
            ]
            let file = BudgetFile(budgets: budgets)
            #expect(file.missedTimes(in: Self.report).map(\.what) == ["time", "ratio"])

            var report = Self.report
            let faster = BenchmarkResult(example: "suite/send", ["size": 4], rounds: [10, 10, 10, 10, 10])
            let other = BenchmarkResult(example: "suite/other", rounds: [1, 1, 1, 1, 1])
            report.replaceResults(by: Report(results: [other, faster]))
            #expect(report.results.map(\.name) == ["suite/send", "suite/B0"])
            #expect(file.missedTimes(in: report).isEmpty)
        }

        @Test("A missing or refused result is not measured, and breaks its limit")
        func notMeasured() {
            let missing = GoalTable([Self.budget()], in: Report(results: []))
            #expect(missing.rows[0].verdict == .notMeasured("no such result"))
            #expect(missing.isBroken)
            let refused = Report(results: [Self.subject.refused("too short"), Self.baseline])
            #expect(Self.verdict(in: refused, atMost: 100) == .notMeasured("'send' was refused: too short"))
            let baseline = Report(results: [Self.subject, Self.baseline.refused("too short")])
            let verdict = Self.verdict(in: baseline, atMost: 100) { $0.baseline = "B0" }
            #expect(verdict == .notMeasured("'B0' was refused: too short"))
            #expect(Self.verdict(atMost: 100) { $0.metric = .liveBytes } == .notMeasured("no such metric"))
            #expect(Self.verdict(atMost: 100) { $0.baseline = "B9" } == .notMeasured("no ratio to 'B9'"))
        }

        @Test("A limit that needs missing cores is undecided, and breaks nothing")
        func missingCores() {
            let why = "no round in which the machine had the cores that it needs"
            let report = Report(results: [Self.subject.refused(why, keepsRounds: false)])
            let table = GoalTable([Self.budget()], in: report)
            #expect(table.rows[0].verdict == .notDecided("'send': \(why)"))
            #expect(!table.isBroken)
        }

        @Test("A table of goals has the limit, the figure, its quartiles and the verdict of each")
        func table() {
            let budgets = [Self.budget(atMost: 40), Self.budget(atMost: 10), Self.budget({ $0.benchmark = "suite/x" })]
            let table = GoalTable(budgets, in: Self.report)
            #expect(
                table.markdown == """
                    | goal | at most | measured | quartiles | verdict |
                    |---|---:|---:|---:|---|
                    | send | 40.0 | 36.0 | 33.0 to 39.0 | met |
                    | send | 10.0 | 36.0 | 33.0 to 39.0 | **missed** |
                    | send | 50.0 | - |  | not measured: no such result |
                    """
            )
            #expect(table.summary == "1 met, 1 missed, 1 not measured.")
            #expect(table.text.contains("BROKEN"))
        }

        // MARK: Files

        @Test(
            "A file with a budget without a figure is rejected, with the name of the budget",
            arguments: [
                (#""baseline": "B0", "metric": "mallocCountTotal""#, "leave out 'metric'"),
                (#""baseline": "B0", "percentile": "p99""#, "p25, p50 and p75"),
                (#""baseline": "B0", "reference": {}"#, "exclude each other"),
                (#""baseline": "B0", "per": "size""#, "divided by a parameter"),
                (#""percentile": "p98""#, "there is no percentile 'p98'"),
                (#""reference": {"percentile": "p98"}"#, "there is no percentile 'p98'"),
                (#""tolerance": -1"#, "negative"),
            ]
        )
        func rejected(fields: String, reason: String) {
            let text = #"{"budgets": [{"what": "the limit", "benchmark": "suite/a", "atMost": 1, "# + fields + "}]}"
            do {
                _ = try JSONFormat.decode(BudgetFile.self, from: Data(text.utf8))
                Issue.record("\(fields) was accepted.")
            } catch DecodingError.dataCorrupted(let context) {
                #expect(context.debugDescription.contains("'the limit'"))
                #expect(context.debugDescription.contains(reason))
            } catch {
                Issue.record(error)
            }
        }

        @Test("A benchmark runs if a limit needs it, also under a load that only its results have as a parameter")
        func needs() {
            let budget = Budget(
                what: "",
                benchmark: "latency/send",
                parameters: ["load": 0.5, "store": "idle"],
                reference: Budget.Reference(benchmark: "latency/B3", parameters: ["rate": 100]),
                atMost: 1
            )
            #expect(budget.needs("latency/send store=idle"))
            #expect(budget.needs("latency/B3"))
            #expect(!budget.needs("latency/send"))
        }

        @Test("An update renews the limits with a tolerance, and keeps the layout of the file")
        func update() throws {
            let text = """
                {"budgets": [
                  {"what": "a \\"quoted\\" limit",
                   "benchmark": "suite/send", "atMost": 100, "tolerance": 5},
                  {"what": "another", "benchmark": "suite/send", "atMost":0.5}
                ]}
                """
            let updated = try BudgetFile.text(text, updating: ["a \"quoted\" limit": 37.8])
            #expect(updated == text.replacing("100", with: "37.8"))
            #expect(try BudgetFile.text(text, updating: ["another": 3]) == text.replacing("0.5", with: "3"))
            #expect(throws: ArgumentsError.self) { try BudgetFile.text(text, updating: ["unknown": 1]) }
            #expect(
                [714, 37.8, 0, 12_345.6, 0.123451].map(BudgetFile.limitText) == ["714", "37.8", "0", "12346", "0.1235"]
            )
        }

        @Test(
            "A limit with a tolerance is renewed to the figure and the tolerance, and larger improvements are detected"
        )
        func tolerance() {
            // 36 and 5 % are 37.8; a limit of 100 was made from the figure 95.2.
            let wide = GoalTable([Self.budget({ $0.tolerance = 5 }, atMost: 100)], in: Self.report)
            #expect(wide.newLimits["send"].map { ($0 * 10).rounded() } == 378)
            #expect(wide.isImproved && !wide.isBroken)
            let tight = GoalTable([Self.budget({ $0.tolerance = 5 }, atMost: 40)], in: Self.report)
            #expect(!tight.isImproved)
            let fixed = GoalTable([Self.budget(atMost: 100)], in: Self.report)
            #expect(!fixed.isImproved && fixed.newLimits.isEmpty)
        }
    }
}
