/// The command and the options of a command line.
struct Arguments {
    enum Command: Equatable {
        case help
        case list
        case run
        case readBaselines([String])
        case updateBaseline(String)
        case listBaselines
        case deleteBaselines([String])
        case compareBaseline(String, with: String?)
        case checkBaseline(String, with: String?)
        case readThresholds
        case updateThresholds
        case checkThresholds
        case compareRuns([String])
        case report(goals: String)
        case table(pages: [String])
        case pictures(definitions: String)
        case repeatOperations(identity: String, count: Int)
        case flameGraph(input: String)
    }

    var command = Command.run
    var filters: [Regex<AnyRegexOutput>] = []
    var skips: [Regex<AnyRegexOutput>] = []
    var isQuick = false
    var format = ReportFormat.text
    var formatOptions = FormatOptions()
    /// The file or folder for the output, or, with `thresholds`, the file of limits.
    var path: String?
    var isQuiet = false
    var showsProgress = true
    var tolerances = Tolerances()
    var allowsOtherMachine = false
    /// A statically linked bench for the instruction counts of valgrind.
    var callgrind: String?
    /// The reports of earlier runs, which are merged into one.
    var sources: [String] = []
    /// The reports of the second build.
    var against: [String] = []
    /// The file of tables.
    var tables = "Perf/tables.json"
    /// Whether to compare pages and pictures with what they should be, and to change none.
    var isCheck = false

    init(_ words: [String]) throws(ArgumentsError) {
        var positional: [String] = []
        var rest = words[...]
        while let word = rest.popFirst() {
            guard word.hasPrefix("-"), word != "-" else {
                positional.append(word)
                continue
            }
            if word == "--help" || word == "-h" {
                command = .help
                return
            }
            if try !setFlag(word) { try setOption(word, &rest) }
        }
        command = try Self.command(positional)
        if case .compareRuns(let files) = command {
            guard files.count == against.count, files.count >= PairedRuns.fewestRuns else {
                throw ArgumentsError(
                    "'compare' needs as many reports before '--against' as after it, \(PairedRuns.fewestRuns) or more of each."
                )
            }
        }
    }

    // MARK: Options

    private mutating func setFlag(_ word: String) throws(ArgumentsError) -> Bool {
        switch word {
        case "--quick": isQuick = true
        case "--quiet": isQuiet = true
        case "--no-progress": showsProgress = false
        case "--scale": formatOptions.isScaled = true
        case "--allow-other-machine": allowsOtherMachine = true
        case "--check": isCheck = true
        default: return false
        }
        return true
    }

    private mutating func setOption(_ word: String, _ rest: inout ArraySlice<String>) throws(ArgumentsError) {
        switch word {
        case "--filter": filters.append(try Self.pattern(after: word, &rest))
        case "--skip": skips.append(try Self.pattern(after: word, &rest))
        case "--path": path = try Self.value(after: word, &rest)
        case "--from": sources.append(try Self.value(after: word, &rest))
        case "--tables": tables = try Self.value(after: word, &rest)
        case "--callgrind": callgrind = try Self.value(after: word, &rest)
        case "--tolerance": try tolerances.set(try Self.value(after: word, &rest))
        case "--format": format = try Self.choice("format", ReportFormat.self, after: word, &rest)
        case "--metric": formatOptions.metrics.append(try Self.choice("metric", MetricName.self, after: word, &rest))
        case "--time-units": formatOptions.timeUnit = try Self.choice("time unit", TimeUnit.self, after: word, &rest)
        case "--against":
            while let file = rest.first, !file.hasPrefix("-") {
                against.append(file)
                rest.removeFirst()
            }
        default: throw ArgumentsError("There is no option '\(word)'.")
        }
    }

    private static func value(after option: String, _ rest: inout ArraySlice<String>) throws(ArgumentsError) -> String {
        guard let value = rest.popFirst() else { throw ArgumentsError("\(option) needs a value.") }
        return value
    }

    private static func choice<Choice: RawRepresentable<String> & CaseIterable>(
        _ kind: String,
        _ type: Choice.Type,
        after option: String,
        _ rest: inout ArraySlice<String>
    ) throws(ArgumentsError) -> Choice {
        let name = try value(after: option, &rest)
        guard let known = Choice(rawValue: name) else {
            let all = Choice.allCases.map(\.rawValue).joined(separator: ", ")
            throw ArgumentsError("There is no \(kind) '\(name)'; there are \(all).")
        }
        return known
    }

    private static func pattern(
        after option: String,
        _ rest: inout ArraySlice<String>
    ) throws(ArgumentsError) -> Regex<AnyRegexOutput> {
        let text = try value(after: option, &rest)
        do {
            return try Regex(text)
        } catch {
            throw ArgumentsError("'\(text)' is not a regular expression: \(error)")
        }
    }

    /// Whether `--filter` and `--skip` select a benchmark.
    func selects(_ identity: String) -> Bool {
        if skips.contains(where: { identity.contains($0) }) { return false }
        return filters.isEmpty || filters.contains { identity.contains($0) }
    }

    // MARK: Commands

    private static func command(_ words: [String]) throws(ArgumentsError) -> Command {
        let rest = Array(words.dropFirst())
        switch (words.first, words.count) {
        case (nil, _), ("run", 1): return .run
        case ("help", 1): return .help
        case ("list", 1): return .list
        case ("compare", 2...): return .compareRuns(rest)
        case ("report", 2): return .report(goals: words[1])
        case ("table", 2...): return .table(pages: rest)
        case ("pictures", 2): return .pictures(definitions: words[1])
        case ("flamegraph", 2): return .flameGraph(input: words[1])
        case ("repeat", 3):
            guard let operations = Int(words[2]), operations > 0 else {
                throw ArgumentsError("'\(words[2])' is not a number of operations.")
            }
            return .repeatOperations(identity: words[1], count: operations)
        case ("baseline", _): return try baseline(rest)
        case ("thresholds", _): return try thresholds(rest)
        default:
            throw ArgumentsError("'\(words.joined(separator: " "))' is no command, or has too few or too many words.")
        }
    }

    private static func baseline(_ words: [String]) throws(ArgumentsError) -> Command {
        let names = Array(words.dropFirst())
        for name in names where name.contains("/") || name.hasPrefix(".") {
            throw ArgumentsError("'\(name)' cannot be the name of a baseline: it is no name of a file.")
        }
        switch (words.first, words.count) {
        case ("list", 1): return .listBaselines
        case ("read", 2...): return .readBaselines(names)
        case ("update", 2): return .updateBaseline(names[0])
        case ("delete", 2...): return .deleteBaselines(names)
        case ("compare", 2...3): return .compareBaseline(names[0], with: names.count == 2 ? names[1] : nil)
        case ("check", 2...3): return .checkBaseline(names[0], with: names.count == 2 ? names[1] : nil)
        default: throw ArgumentsError("'baseline' needs list, or read, update, delete, compare or check and a name.")
        }
    }

    private static func thresholds(_ words: [String]) throws(ArgumentsError) -> Command {
        switch words {
        case ["read"]: return .readThresholds
        case ["update"]: return .updateThresholds
        case ["check"]: return .checkThresholds
        default: throw ArgumentsError("'thresholds' needs read, update or check.")
        }
    }
}

/// An error in a command line, or in a file named by it.
struct ArgumentsError: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) { self.description = description }
}

extension Arguments {
    static let usage = """
        usage: bench [run] [options]                    run benchmarks, and print the results
               bench list [options]                     print the names of benchmarks
               bench baseline list                      print the names of baselines
               bench baseline read NAME… [options]      print the results of baselines
               bench baseline update NAME [options]     run, and save the report as a baseline
               bench baseline delete NAME…              delete baselines
               bench baseline compare NAME [NAME]       print the differences between a baseline and a run, or another
               bench baseline check NAME [NAME]         compare, and fail if a figure is worse or a benchmark missing
               bench thresholds read [--path FILE]      print limits
               bench thresholds check [--path FILE]     run the benchmarks with limits, and fail if one is broken
               bench thresholds update [--path FILE]    run them, and renew the limits with a tolerance
               bench compare A… --against B…            compare reports of two alternated builds (Perf/compare)
               bench report GOALS --path FOLDER         run, or read --from, and write RESULTS.md and suite pages
               bench table PAGE… --from REPORT          renew the tables of figures in Markdown pages
               bench table PAGE… --from REPORT --check  fail if a table is outdated, and change nothing
               bench pictures FILE --from REPORT        draw the pictures that a file defines, beside it; --check as above
               bench repeat 'BENCHMARK' COUNT           run a number of operations, for a profiler
               bench flamegraph FILE --path SVG         draw the output of `perf script`

          --filter REGEX        run only benchmarks with matching name and parameters; repeatable
          --skip REGEX          skip matching benchmarks; repeatable
          --quick               measure briefly
          --format FORMAT       text (default), markdown, json, influx, jsonSmallerIsBetter, jmh, histogram,
                                histogramSamples, histogramPercentiles or html
          --metric METRIC       print only this metric; repeatable
          --scale               print figures per 1,000 operations
          --time-units UNITS    nanoseconds, microseconds, milliseconds or seconds
          --path PATH           write to a file, or to a separate file in a folder; with thresholds, the file of limits
                                (default budgets.json)
          --quiet               print no report
          --no-progress         print no progress
          --from REPORT         read a JSON report, and run nothing; repeatable for reports of parts of a run
          --tolerance PERCENT   accepted difference in a check; METRIC=PERCENT for one metric. Default 10 for
                                wallClock and 25 for latency, as ratios to their baselines; 2 for liveBytes; 1 for
                                mallocCountTotal, mallocBytesTotal and instructions
          --allow-other-machine check a baseline of another processor, number of cores or allocator
          --callgrind BENCH     a statically linked bench for the instruction counts of limits, by valgrind
          --tables FILE         the definitions of tables (default Perf/tables.json)

        SIGINT ends the run after the current round, and reports finished measurements; a second one ends it at once.

        exit status: 0 success, 1 a benchmark failed or machines differ, 2 a regression, a broken limit or an outdated
        table or picture, 4 an improvement beyond the tolerance, 5 missing baseline, 64 invalid arguments, 130 interrupted
        """
}
