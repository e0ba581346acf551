/// Markdown tables for each suite. With `--metric` a table of percentiles for each metric.
struct MarkdownFormat {
    let report: Report
    var options = FormatOptions()

    var text: String {
        var head = ["Measured \(report.date.prefix(10)) on \(report.machine.description). \(report.load.description)."]
        if report.isPartial { head.append("The run was interrupted: the report is partial.") }
        if options.isScaled { head.append("\\* Figures of 1,000 operations.") }
        return (head + report.suites.map(section(of:))).joined(separator: "\n\n") + "\n"
    }

    private func section(of suite: String) -> String {
        let results = report.results.filter { $0.suite == suite }
        let tables =
            options.metrics.isEmpty
            ? [SuiteTables(results: results, options: options).markdown]
            : options.metrics.compactMap { table(of: $0, results) }
        return (["## \(suite)"] + tables).joined(separator: "\n\n")
    }

    /// The percentiles of one metric; nil if no benchmark of the suite has it.
    private func table(of name: MetricName, _ results: [BenchmarkResult]) -> String? {
        let measured = results.filter { $0.metrics[name] != nil && $0.refusal == nil }
        guard let example = measured.first?.metrics[name] else { return nil }
        let heads = ["benchmark", "parameters"] + example.percentiles.map(\.name) + ["samples"]
        let rows = measured.compactMap { result -> [String]? in
            guard let metric = result.metrics[name] else { return nil }
            let cells = NumberText.percentiles(metric).map { percentile in
                percentile.value.map { options.text($0, of: name, unit: metric.unit) } ?? ""
            }
            return [result.title, result.parameters.text] + cells + [NumberText.grouped(metric.samples)]
        }
        let table = SuiteTables.markdown(
            heads: heads,
            alignments: ["---", "---"] + heads.dropFirst(2).map { _ in "---:" },
            rows: rows
        )
        let unit = example.unit == "ns" ? "" : " (\(example.unit))"
        return "### \(name.rawValue)\(unit)\(options.isScaled ? " \\*" : "")\n\n\(table)"
    }
}

/// The results of one suite as Markdown tables: a table for each set of compared benchmarks, a row for each benchmark,
/// a column for each baseline.
struct SuiteTables {
    private let groups: [[BenchmarkResult]]
    private let options: FormatOptions

    init(results: [BenchmarkResult], options: FormatOptions = FormatOptions()) {
        groups = Self.groups(of: results)
        self.options = options
    }

    var markdown: String { groups.map(table(of:)).joined(separator: "\n\n") }

    // MARK: Which results share a table

    private enum Kind {
        case throughput, latency, memory, failure
    }

    private static func kind(of result: BenchmarkResult) -> Kind {
        if result.hasFailed == true { return .failure }
        if result.metrics[.latency] != nil { return .latency }
        return result.metrics[.wallClock] != nil || result.operationsPerSample != nil ? .throughput : .memory
    }

    /// Results of one kind that name each other as baselines, whatever their parameters, in the order of the report.
    private static func groups(of results: [BenchmarkResult]) -> [[BenchmarkResult]] {
        var groups: [(titles: Set<String>, kind: Kind)] = []
        for result in results {
            let kind = kind(of: result)
            let titles = Set([result.title] + (result.ratios ?? [:]).keys)
            let related = groups.indices.filter {
                groups[$0].kind == kind && (kind == .failure || !groups[$0].titles.isDisjoint(with: titles))
            }
            guard let first = related.first else {
                groups.append((titles, kind))
                continue
            }
            groups[first].titles.formUnion(titles)
            for index in related.dropFirst().reversed() {
                groups[first].titles.formUnion(groups.remove(at: index).titles)
            }
        }
        return groups.map { group in
            results.filter { group.titles.contains($0.title) && kind(of: $0) == group.kind }
        }
    }

    // MARK: Columns

    /// A column: its heading, its alignment, and the cell of a result.
    private struct Column {
        var head: String
        var isText = false
        var cell: (BenchmarkResult) -> String?
    }

    private func table(of results: [BenchmarkResult]) -> String {
        var columns = [
            Column(head: "benchmark", isText: true) { $0.title },
            Column(head: "parameters", isText: true) { $0.parametersWithoutLoad.text },
        ]
        // The column for a refusal.
        var first = columns.count
        switch results.first.map(Self.kind(of:)) {
        case .throughput: columns += timeColumns(results)
        case .latency:
            first += 3
            columns += latencyColumns(results)
        case .memory, nil: columns += memoryColumns(results)
        case .failure: columns.append(Column(head: "not measured", isText: true) { _ in nil })
        }
        let figures = results.filter { $0.refusal == nil }
        columns = columns.enumerated().filter { index, column in
            index <= first || figures.contains { !(column.cell($0) ?? "").isEmpty }
        }
        .map(\.element)
        let rows = results.map { result in
            columns.enumerated().map { index, column -> String in
                guard let refusal = result.refusal, index >= first else { return column.cell(result) ?? "" }
                guard index == first else { return "" }
                return result.hasFailed == true ? refusal.replacing("\n", with: " ") : "refused: \(refusal)"
            }
        }
        return Self.markdown(
            heads: columns.map(\.head),
            alignments: columns.map { $0.isText ? "---" : "---:" },
            rows: rows
        )
    }

    private func timeColumns(_ results: [BenchmarkResult]) -> [Column] {
        let timeOptions = options
        func median(_ name: MetricName) -> (BenchmarkResult) -> String? {
            { result in result.metrics[name].map { timeOptions.text($0.p50, of: name, unit: $0.unit) } }
        }
        return [
            Column(head: "median\(mark)", cell: median(.wallClock)),
            Column(head: "p25 to p75") { result in
                // Two samples have no quartiles.
                result.metrics[.wallClock].flatMap { $0.samples < 3 ? nil : $0 }.map { metric in
                    let scale = timeOptions.scale(of: .wallClock)
                    return NumberText.times(metric.p25 * scale, metric.p75 * scale, in: timeOptions.timeUnit)
                }
            },
        ] + ratioColumns(results) + [
            Column(head: "CPU time\(mark)", cell: median(.cpuTotal)),
            Column(head: "context switches\(mark)", cell: median(.contextSwitches)),
            Column(head: "parallelism") { $0.metrics[.parallelism].map { NumberText.short($0.p50) } },
            Column(head: "fairness") { $0.metrics[.fairness].map { NumberText.short($0.p50) } },
            Column(head: "allocations") { $0.metrics[.mallocCountTotal].map(NumberText.count) },
            Column(head: "p99 of samples", cell: percentile(\.p99, of: .wallClock, from: 200)),
            Column(head: "p99.9 of samples", cell: percentile(\.p999, of: .wallClock, from: 10_000)),
            Column(head: "operations a sample") { $0.operationsPerSample.map(NumberText.grouped) },
            Column(head: "samples") { $0.metrics[.wallClock].map { NumberText.grouped($0.samples) } },
        ]
    }

    private func latencyColumns(_ results: [BenchmarkResult]) -> [Column] {
        func rate(_ name: MetricName) -> (BenchmarkResult) -> String? {
            { $0.metrics[name].map { NumberText.rate($0.p50) } }
        }
        return [
            Column(head: "load") { $0.load.map { "\($0.name == "rate" ? "" : "x ")\($0.value)" } },
            Column(head: "offered, 1/s", cell: rate(.offeredRate)),
            Column(head: "attained, 1/s", cell: rate(.throughput)),
            Column(head: "p50", cell: percentile(\.p50, of: .latency, from: 0)),
            Column(head: "p90", cell: percentile(\.p90, of: .latency, from: 0)),
            Column(head: "p99", cell: percentile(\.p99, of: .latency, from: 200)),
            Column(head: "p99.9", cell: percentile(\.p999, of: .latency, from: 10_000)),
            Column(head: "max", cell: percentile(\.p100, of: .latency, from: 0)),
        ] + ratioColumns(results) + [
            Column(head: "operations") { $0.metrics[.latency].map { NumberText.grouped($0.samples) } }
        ]
    }

    private func memoryColumns(_ results: [BenchmarkResult]) -> [Column] {
        [
            Column(head: "bytes") { result in
                result.metrics[.liveBytes].map(NumberText.count) ?? "not measured, the allocator cannot count"
            },
            Column(head: "blocks") { $0.metrics[.liveBlocks].map(NumberText.count) },
        ] + ratioColumns(results) + [
            Column(head: "samples") { $0.metrics[.liveBytes].map { NumberText.grouped($0.samples) } }
        ]
    }

    private func ratioColumns(_ results: [BenchmarkResult]) -> [Column] {
        var seen: Set<String> = []
        let baselines = results.flatMap { $0.sortedRatios.map(\.baseline) }.filter { seen.insert($0).inserted }
        return baselines.sorted().map { baseline in
            Column(head: "x \(baseline)") { result in result.ratios?[baseline].map(Self.text(of:)) }
        }
    }

    /// A percentile, if there are enough samples for it.
    private func percentile(
        _ path: KeyPath<Metric, Double>,
        of name: MetricName,
        from samples: Int
    ) -> (BenchmarkResult) -> String? {
        let (options, path) = (options, path)
        return { result in
            guard let metric = result.metrics[name], metric.samples >= samples else { return nil }
            return options.text(metric[keyPath: path], of: name, unit: metric.unit)
        }
    }

    private var mark: String { options.isScaled ? " *" : "" }

    static func text(of ratio: Ratio) -> String {
        guard ratio.p25 != ratio.p75 else { return NumberText.short(ratio.p50) }
        return "\(NumberText.short(ratio.p50)) (\(NumberText.short(ratio.p25)) to \(NumberText.short(ratio.p75)))"
    }

    // MARK: Markdown

    /// A Markdown table. A bar in a cell is escaped.
    static func markdown(heads: [String], alignments: [String], rows: [[String]]) -> String {
        let line = { (cells: [String]) in
            "| " + cells.map { $0.replacing("|", with: "\\|") }.joined(separator: " | ") + " |"
        }
        return ([line(heads), "|" + alignments.joined(separator: "|") + "|"] + rows.map(line)).joined(separator: "\n")
    }
}

extension BenchmarkResult {
    /// The parameter with the load or the rate of a latency benchmark.
    var load: (name: String, value: ParameterValue)? {
        guard metrics[.latency] != nil else { return nil }
        for name in ["load", "rate"] {
            if let value = parameters[name] { return (name, value) }
        }
        return nil
    }

    /// The declared parameters of the benchmark.
    var parametersWithoutLoad: Parameters {
        guard let load else { return parameters }
        return parameters.filter { $0.key != load.name }
    }
}
