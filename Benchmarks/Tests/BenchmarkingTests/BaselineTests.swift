import Foundation
import Testing

@testable import Benchmarking

extension BenchmarkingTests {
    @Suite("Baselines")
    struct BaselineTests {
        private static func verdicts(
            _ before: Report,
            _ after: Report,
            _ tolerances: Tolerances = Tolerances(),
            isExpected: (String) -> Bool = { _ in true }
        ) -> [String: BaselineComparison.Verdict] {
            let comparison = BaselineComparison(
                before: before,
                after: after,
                tolerances: tolerances,
                isExpected: isExpected
            )
            return Dictionary(comparison.rows.map { ("\($0.identity.prefix(12)) \($0.figure)", $0.verdict) }) { $1 }
        }

        /// The example with another ratio.
        private static func example(ratio: [Double]) -> Report {
            var report = Report.example
            report.results[0].ratios = ["slow": Ratio(rounds: ratio)]
            return report
        }

        private static let ratio = "suite/fast \" x slow"

        @Test("A ratio is worse if it grew by more than its tolerance and the quartiles do not overlap")
        func ratios() throws {
            let before = Self.example(ratio: [0.49, 0.5, 0.51])
            #expect(Self.verdicts(before, before)[Self.ratio] == .same)
            #expect(Self.verdicts(before, Self.example(ratio: [0.55, 0.56, 0.57]))[Self.ratio] == .worse)
            #expect(Self.verdicts(before, Self.example(ratio: [0.53, 0.54, 0.55]))[Self.ratio] == .same)
            // The quartiles overlap.
            #expect(Self.verdicts(before, Self.example(ratio: [0.4, 0.6, 0.7]))[Self.ratio] == .same)
            #expect(Self.verdicts(before, Self.example(ratio: [0.43, 0.44, 0.45]))[Self.ratio] == .better)
            var tolerances = Tolerances()
            try tolerances.set("wallClock=15")
            #expect(Self.verdicts(before, Self.example(ratio: [0.55, 0.56, 0.57]), tolerances)[Self.ratio] == .same)
        }

        @Test("Allocations and bytes are worse if they grew by more than their noise")
        func counts() {
            var after = Report.example
            after.results[0].metrics[.mallocCountTotal] = Metric(unit: "count", values: [2.02])
            #expect(Self.verdicts(.example, after)["suite/fast \" allocations"] == .same)
            after.results[0].metrics[.mallocCountTotal] = Metric(unit: "count", values: [2.04])
            #expect(Self.verdicts(.example, after)["suite/fast \" allocations"] == .worse)
            after.results[0].metrics[.mallocCountTotal] = Metric(unit: "count", values: [1])
            #expect(Self.verdicts(.example, after)["suite/fast \" allocations"] == .better)
        }

        @Test("A removed benchmark is missing if it was selected")
        func missing() {
            var after = Report.example
            after.results.removeFirst()
            #expect(Self.verdicts(.example, after)["suite/fast \" all"] == .missing)
            #expect(BaselineComparison(before: .example, after: after).isWorse)
            let verdicts = Self.verdicts(.example, after) { !$0.contains("fast") }
            #expect(verdicts["suite/fast \" all"] == nil)
        }

        @Test("Rows that cannot be judged are listed with the reason")
        func notJudged() {
            let verdicts = Self.verdicts(Report(results: [.init(example: "suite/refused", rounds: [1])]), .example)
            #expect(verdicts["suite/fast \" all"] == .notJudged("not in the baseline"))
            #expect(verdicts["suite/refuse all"] == .notJudged("refused: a sample of 3 operations took 5 ns"))
            let same = Self.verdicts(.example, .example)
            #expect(same["suite/slow k ns p50"] == .notJudged("a time without a baseline"))
            #expect(same["suite/fast \" ns p50"] == .notJudged("its ratios are"))
        }

        @Test("Another processor, core count or allocator is a difference of machines; another commit is not")
        func machines() {
            var after = Report.example
            after.machine.commit = "other"
            #expect(BaselineComparison(before: .example, after: after).machineDifference == nil)
            after.machine.cores = 4
            after.machine.allocator = "the system's"
            let difference = BaselineComparison(before: .example, after: after).machineDifference
            #expect(difference == "number of cores: 2 before, 4 now; allocator: jemalloc before, the system's now")
        }

        @Test("A tolerance applies to all metrics or to one, and the rest keep their defaults")
        func tolerances() throws {
            var tolerances = Tolerances()
            #expect(tolerances[.wallClock] == 0.1 && tolerances[.mallocCountTotal] == 0.01)
            try tolerances.set("wallClock=5")
            #expect(tolerances[.wallClock] == 0.05 && tolerances[.latency] == 0.25)
            try tolerances.set("3")
            #expect(tolerances[.wallClock] == 0.05 && tolerances[.latency] == 0.03)
            for bad in ["", "x", "-1", "wallClock", "wallClock=", "fairness=1", "x=1", "nan"] {
                #expect(throws: ArgumentsError.self, "\(bad)") { try tolerances.set(bad) }
            }
        }

        @Test("Baselines are saved, listed and deleted")
        func store() throws {
            let folder = FileManager.default.temporaryDirectory.appendingPathComponent("baselines-\(UUID())")
            defer { try? FileManager.default.removeItem(at: folder) }
            let store = BaselineStore(folder: folder)
            #expect(store.names == [])
            try store.save(.example, as: "main")
            try store.save(.example, as: "branch")
            #expect(store.names == ["branch", "main"])
            #expect(try store.load("main").results.map(\.identity) == Report.example.results.map(\.identity))
            try store.delete("main")
            #expect(store.names == ["branch"])
            #expect(throws: MissingBaseline.self) { try store.load("main") }
            try Data("[]".utf8).write(to: folder.appendingPathComponent("old.json"))
            #expect(throws: ArgumentsError.self) { try store.load("old") }
        }
    }

    @Suite("Paired runs")
    struct PairedRunTests {
        /// The drift of a machine over the runs, the same for both builds.
        private static let drift = [1.0, 1.4, 0.9, 1.2, 1.1, 1.3]

        /// Reports of a build with that operation time without the drift.
        private static func runs(
            _ nanoseconds: [Double],
            spread: Double = 0.01,
            allocations: [Double] = [2]
        ) -> [Report] {
            drift.indices.map { run in
                let time = nanoseconds[run % nanoseconds.count] * drift[run]
                let count = allocations[run % allocations.count]
                let result = BenchmarkResult(
                    example: "suite/a",
                    rounds: [time * (1 - spread), time, time * (1 + spread)]
                )
                return Report(results: [result.with(.mallocCountTotal, "count", [count])])
            }
        }

        private static func verdicts(_ a: [Report], _ b: [Report]) -> [PairedRuns.Verdict] {
            PairedRuns(a, against: b).rows.map(\.verdict)
        }

        @Test(
            "A build is slower or faster if the quartiles of the paired ratios lie beyond 2.5 %, under any interference",
            arguments: [
                (105, .slower), (103, .slower), (102, .same), (100, .same), (98, .same), (97, .faster), (90, .faster),
            ] as [(Double, PairedRuns.Verdict)]
        )
        func times(nanoseconds: Double, verdict: PairedRuns.Verdict) {
            let (a, b) = (Self.runs([100]), Self.runs([nanoseconds]))
            #expect(Self.verdicts(a, b) == [verdict, .same])
            #expect(PairedRuns(a, against: b).isSlower == (verdict == .slower))
        }

        @Test("Quartiles neither beyond 2.5 % nor within 5 % are undecided")
        func notDecided() {
            #expect(Self.verdicts(Self.runs([100]), Self.runs([100, 110, 120]))[0] == .notDecided)
        }

        @Test("A difference is undecided if a pair of runs contradicts it, or if it is within the spread of a run")
        func chance() {
            let a = Self.runs([100])
            #expect(Self.verdicts(a, Self.runs([110, 110, 110, 110, 110, 99]))[0] == .notDecided)
            #expect(Self.verdicts(a, Self.runs([90, 90, 90, 90, 90, 101]))[0] == .notDecided)
            #expect(Self.verdicts(a, Self.runs([110], spread: 0.05))[0] == .slower)
            #expect(Self.verdicts(a, Self.runs([110], spread: 0.5))[0] == .notDecided)
            #expect(Self.verdicts(a, Self.runs([90], spread: 0.5))[0] == .notDecided)
        }

        @Test("A row with fewer than five pairs, or with runs of fewer than three rounds, is not measured")
        func shortage() {
            let a = Self.runs([100])
            var b = Self.runs([110])
            b[0].results[0].metrics[.wallClock]?.samples = 2
            #expect(Self.verdicts(a, b) == [.slower, .same])
            b[1].results[0].refusal = "too short"
            #expect(Self.verdicts(a, b) == [.notMeasured])
        }

        @Test("A count differs if it differs by more than its noise")
        func counts() {
            let a = Self.runs([100])
            #expect(Self.verdicts(a, Self.runs([100], allocations: [2.009]))[1] == .same)
            #expect(Self.verdicts(a, Self.runs([100], allocations: [3]))[1] == .more)
            #expect(Self.verdicts(a, Self.runs([100], allocations: [1]))[1] == .fewer)
            #expect(Self.verdicts(a, Self.runs([100], allocations: [2, 3]))[1] == .notDecided)
            #expect(PairedRuns(a, against: Self.runs([100], allocations: [3])).isSlower)
        }

        @Test("Refused results are not measured, and benchmarks of one build only are named")
        func unpaired() {
            var a = Self.runs([100])
            let b = a
            for run in a.indices { a[run].results[0].refusal = "too short" }
            #expect(Self.verdicts(a, b) == [.notMeasured])
            for run in a.indices { a[run].results[0].name = "suite/gone" }
            let runs = PairedRuns(a, against: b)
            #expect(runs.rows.isEmpty)
            #expect(runs.unpaired == ["suite/gone (only A)", "suite/a (only B)"])
        }

        @Test("The table has both figures, ratio, quartiles and verdict of each row, and a warning for two machines")
        func text() {
            let a = Self.runs([100])
            var b = Self.runs([110])
            let text = PairedRuns(a, against: b).text
            #expect(text.contains("suite/a    wallClock p50, ns   115   127   1.10  1.10 to 1.10   slower"))
            #expect(text.hasSuffix("1 same, 1 slower."))
            b[0].machine.allocator = "the system's"
            #expect(!PairedRuns(a, against: b).text.contains("different machines"), "It may be what is compared.")
            b[0].machine.cores = 8
            #expect(PairedRuns(a, against: b).text.contains("different machines"))
        }
    }
}
