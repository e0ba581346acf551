import Foundation
import Testing

@testable import Benchmarking

extension BenchmarkingTests {
    @Suite("Command line")
    struct CommandTests {
        private let folder = FileManager.default.temporaryDirectory.appendingPathComponent("bench-\(UUID())")

        init() throws {
            try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        }

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

        private static let brief = Configuration(
            sampleNanoseconds: 10_000,
            nanoseconds: 1_000_000,
            minimumSamples: 3,
            maximumSamples: 5
        )

        private final class Object: Sendable {}

        private func run(_ arguments: String...) async -> Int32 {
            let output = arguments.contains("--output") ? [] : ["--output", folder.path + "/out"]
            return await BenchmarkCommand(suites: Self.suites, arguments: arguments + output).run()
        }

        @Test(
            "Bad arguments end with 2",
            arguments: [
                ["--nonsense"], ["nonsense"], ["--format"], ["--format", "xml"], ["--filter", "("],
                ["--filter", "no such"],
                ["baseline"], ["baseline", "update"], ["baseline", "update", "../name"],
                ["baseline", "compare", "unknown"],
                ["baseline", "delete", "unknown"], ["budgets", "/no/such/file"],
                ["repeat", "suite/does not size=1", "0"],
                ["repeat", "suite/unknown", "1"], ["--tolerance", "-1"], ["run", "twice"],
                ["--filter", "does not", "--output", "/no/such/folder/file"],
            ]
        )
        func badArguments(words: [String]) async {
            #expect(await BenchmarkCommand(suites: Self.suites, arguments: words).run() == 2)
        }

        @Test("Every complaint says what is wrong")
        func complaints() {
            #expect(throws: ArgumentsError.self) { try Arguments(["--format", "xml"]) }
            do {
                _ = try Arguments(["--format", "xml"])
            } catch {
                #expect(
                    error.description == "There is no format 'xml'; there are table, json, markdown, jmh, hdr, html."
                )
            }
        }

        @Test("Filters select, skips leave out, and baselines of what is selected run, too")
        func filters() async throws {
            #expect(await run("--filter", "alloc", "--format", "json", "--output", folder.path + "/out") == 0)
            let data = try Data(contentsOf: folder.appendingPathComponent("out"))
            let results = try JSONFormat.decode([BenchmarkResult].self, from: data)
            #expect(results.map(\.name) == ["suite/allocates", "suite/does not"])
            let arguments = try Arguments(["--filter", "a", "--skip", "b"])
            #expect(arguments.selects("suite/a"))
            #expect(!arguments.selects("suite/a b"))
        }

        @Test("A limit that holds gives 0, one that is broken 4", .enabled(if: AllocationCounter.isAvailable))
        func budgets() async throws {
            func file(_ limit: Int) throws -> String {
                let path = folder.path + "/budgets.json"
                let text = """
                    {"budgets": [{"what": "allocations", "benchmark": "suite/allocates", "parameters": {"size": 1},
                                  "metric": "mallocCountTotal", "atMost": \(limit)}]}
                    """
                try Data(text.utf8).write(to: URL(fileURLWithPath: path))
                return path
            }
            let kept = try file(1)
            #expect(await run("budgets", kept) == 0)
            let broken = try file(0)
            #expect(await run("budgets", broken) == 4)
            let text = try String(contentsOfFile: folder.path + "/out", encoding: .utf8)
            #expect(text.contains("BROKEN"))
        }

        @Test("A budget for what is not there is broken, and not passed over")
        func unknownBudget() {
            let budget = Budget(what: "x", benchmark: "suite/unknown", atMost: 1)
            #expect(!BudgetTable([budget], in: .example).areAllMet)
        }

        @Test("Budgets know ratios, quotients, differences and shares")
        func budgetFigures() throws {
            let parameters: Parameters = ["producers": 8, "load": 0.5, "kind": "a & b"]
            var budget = Budget(what: "", benchmark: "suite/fast \"one\"", parameters: parameters, atMost: 1)
            #expect(budget.figure(in: .example) == 20)
            budget.percentile = "p100"
            #expect(budget.figure(in: .example) == 30)
            budget.per = "producers"
            #expect(budget.figure(in: .example) == 3.75)
            budget.per = nil
            budget.reference = Budget.Reference(benchmark: "suite/slow")
            #expect(budget.figure(in: .example) == 1)
            budget.reference?.isSubtracted = true
            #expect(budget.figure(in: .example) == 0)
            budget.baseline = "slow"
            #expect(budget.figure(in: .example) == 0.5)
        }

        @Test("A check against a baseline finds a ratio that has grown and allocations that are new, and nothing else")
        func baselineCheck() throws {
            var after = Report.example
            #expect(BaselineComparison(before: .example, after: after, tolerance: 25).rows.filter(\.isWorse).isEmpty)
            after.results[0].ratios = ["slow": Ratio(rounds: [0.9, 1, 1.1])]
            let slower = BaselineComparison(before: .example, after: after, tolerance: 25).rows.filter(\.isWorse)
            #expect(slower.map(\.figure) == ["x slow"])
            // The quartiles overlap: it may be noise.
            after.results[0].ratios = ["slow": Ratio(rounds: [0.4, 1, 1.1])]
            #expect(BaselineComparison(before: .example, after: after, tolerance: 25).rows.filter(\.isWorse).isEmpty)
            after.results[0].metrics[.mallocCountTotal] = Metric(unit: "count", values: [3])
            let more = BaselineComparison(before: .example, after: after, tolerance: 25).rows.filter(\.isWorse)
            #expect(more.map(\.figure) == ["allocations"])
        }

        @Test("Baselines are kept, listed, compared and deleted")
        func baselines() throws {
            let store = BaselineStore(folder: folder.appendingPathComponent("baselines"))
            #expect(store.names == [])
            try store.save(.example, as: "main")
            try store.save(.example, as: "branch")
            #expect(store.names == ["branch", "main"])
            #expect(try store.load("main").results.map(\.identity) == Report.example.results.map(\.identity))
            try store.delete("main")
            #expect(store.names == ["branch"])
            #expect(throws: ArgumentsError.self) { try store.load("main") }
        }
    }
}
