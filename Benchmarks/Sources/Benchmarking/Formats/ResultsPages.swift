import Foundation

/// The pages of `Perf/RESULTS.md`: an overview with the goals, and a page with tables and plots for each suite.
///
/// All contents are generated from a report alone, so that the pages can be written again from its JSON.
struct ResultsPages {
    let report: Report
    let goals: GoalTable
    /// The command that writes the pages, named in each of them.
    var command = "Perf/results"
    /// The names and parameters of all existing benchmarks, without loads.
    var expected: [String] = []

    /// The files by their paths in the folder of the overview.
    var files: [(path: String, text: String)] {
        get throws {
            var files = [("RESULTS.md", overview), ("Results/results.json", try JSONFormat.text(of: report) + "\n")]
            for suite in report.suites {
                let pictures = Plots(results: report.results.filter { $0.suite == suite }).all
                files.append(("Results/\(Self.fileName(of: suite)).md", page(of: suite, pictures: pictures.count)))
                for (index, picture) in pictures.enumerated() {
                    files.append(("Results/\(Self.pictureName(of: suite, index))", SVG.file(picture)))
                }
            }
            return files
        }
    }

    /// Writes the files, and deletes the pages and pictures of an earlier report, but no page of another origin.
    func write(to folder: URL) throws {
        let results = folder.appendingPathComponent("Results")
        try FileManager.default.createDirectory(at: results, withIntermediateDirectories: true)
        for name in try FileManager.default.contentsOfDirectory(atPath: results.path)
        where name.hasSuffix(".svg") || name.hasSuffix(".md") {
            let file = results.appendingPathComponent(name)
            if name.hasSuffix(".md"), !(try String(contentsOf: file, encoding: .utf8)).hasPrefix(pageNotice) {
                continue
            }
            try FileManager.default.removeItem(at: file)
        }
        for (path, text) in try files { try Data(text.utf8).write(to: folder.appendingPathComponent(path)) }
    }

    // MARK: Overview

    private var overview: String {
        """
        \(notice(source: "Results/results.json"))

        # Results

        \(shortcomings)\(conditions)

        [README.md](README.md) describes the method. Absolute figures depend on the machine: compare ratios.

        ## Goals

        A goal is met if the upper quartile meets it, and missed if the lower quartile misses it. In between it is not
        decided. \(GoalTable.apartNote)

        \(goals.markdown)

        \(goals.summary)

        ## Suites

        \(report.suites.map(line(of:)).joined(separator: "\n"))

        """
    }

    /// The missing parts of the report, each as a paragraph.
    private var shortcomings: String {
        var lines: [String] = []
        if report.isPartial { lines.append("The run was interrupted: some results are missing.") }
        let failed = report.results.filter { $0.hasFailed == true }
        if !failed.isEmpty {
            lines.append("**Failed:** \(failed.count) benchmarks; the pages of the suites say why.")
        }
        let present = Set(report.results.flatMap { [$0.identity, Budget.withoutLoad($0.identity)] })
        let missing = expected.filter { !present.contains($0) }
        if !missing.isEmpty {
            let suites = Dictionary(grouping: missing) { identity in identity.prefix { $0 != "/" } }
            let parts = suites.sorted { $0.key < $1.key }.map { "\($0.value.count) of \($0.key)" }
            lines.append("**Not measured:** \(missing.count) benchmarks: \(parts.joined(separator: ", ")).")
        }
        return lines.map { $0 + "\n\n" }.joined()
    }

    private var conditions: String {
        let machine = report.machine
        let compiler = machine.compiler.split(separator: ", ", maxSplits: 1).map(String.init)
        let percent = { (fraction: Double?) in fraction.map { "\(NumberText.short($0 * 100)) %" } ?? "unknown" }
        let samples = report.results.compactMap { $0.mainMetric?.metric.samples }
        let rows = [
            ["date", report.date],
            ["commit", machine.commit],
            ["Swift", compiler.first ?? machine.compiler],
            ["flags", compiler.count > 1 ? compiler[1] : "unknown"],
            ["processor", machine.processor],
            ["cores", String(machine.cores)],
            ["system", "\(machine.system), \(machine.kernel)"],
            ["allocator", machine.allocator],
            ["load before the run", report.load.loadBefore.map(NumberText.short) ?? "unknown"],
            ["cores' time used by other processes", percent(report.load.otherProcesses)],
            ["cores' time stolen by the hypervisor", percent(report.load.stolen)],
            ["a look at the clock", NumberText.time(machine.clockCost)],
            ["results", "\(report.results.count), \(report.results.count { $0.refusal != nil }) of them refused"],
            [
                "samples a result",
                "\(NumberText.grouped(samples.min() ?? 0)) to \(NumberText.grouped(samples.max() ?? 0))",
            ],
        ]
        return SuiteTables.markdown(heads: ["run", ""], alignments: ["---", "---"], rows: rows)
    }

    private func line(of suite: String) -> String {
        let results = report.results.filter { $0.suite == suite }
        let refused = results.count { $0.refusal != nil }
        let note = refused > 0 ? ", \(refused) refused" : ""
        let count = results.count == 1 ? "1 result" : "\(results.count) results"
        return "- [\(suite)](Results/\(Self.fileName(of: suite)).md): \(count)\(note)"
    }

    // MARK: A suite

    private func page(of suite: String, pictures: Int) -> String {
        let results = report.results.filter { $0.suite == suite }
        let images = (0..<pictures).map { "![Plot \($0 + 1) of \(suite)](\(Self.pictureName(of: suite, $0)))" }
        let parts = [
            pageNotice,
            "# \(suite)",
            "Commit \(report.machine.commit), \(report.date.prefix(10)); [all goals and conditions](../RESULTS.md).",
            Self.explanation(of: results),
            SuiteTables(results: results).markdown,
        ]
        return (parts + images).joined(separator: "\n\n") + "\n"
    }

    /// The explanation of the columns of the suite's tables.
    private static func explanation(of results: [BenchmarkResult]) -> String {
        var lines = ["Ratios are quotients of the same round: the median, with the quartiles over the rounds."]
        if results.contains(where: { $0.metrics[.wallClock] != nil }) {
            lines.append(
                """
                Times and counts are those of an operation: the median of all samples, with the quartiles. Parallelism is \
                CPU time over elapsed time. Fairness is the shortest time of a producer over the longest.
                """
            )
        }
        if results.contains(where: { $0.metrics[.latency] != nil }) {
            lines.append(
                """
                Latency counts from the moment at which an operation should have begun. A load is a fraction of what each \
                benchmark attains itself.
                """
            )
        }
        if results.contains(where: { $0.metrics[.liveBytes] != nil }) {
            lines.append("Bytes and blocks are those that one object more holds.")
        }
        return lines.joined(separator: " ")
    }

    /// The mark of a page of this report.
    private var pageNotice: String { notice(source: "results.json") }

    private func notice(source: String) -> String {
        "<!-- Generated by `\(command)` from \(source). Do not edit. -->"
    }

    private static func fileName(of suite: String) -> String {
        suite.replacing(" ", with: "-").replacing("/", with: "-")
    }

    private static func pictureName(of suite: String, _ index: Int) -> String {
        "\(fileName(of: suite))-\(index + 1).svg"
    }
}
