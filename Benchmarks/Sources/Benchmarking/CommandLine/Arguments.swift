/// What a command line asks for.
struct Arguments {
    enum Command: Equatable {
        case help
        case list
        case run
        case updateBaseline(String)
        case listBaselines
        case compareBaseline(String, with: String?)
        case checkBaseline(String, with: String?)
        case deleteBaseline(String)
        case checkBudgets(file: String, callgrind: String?)
        case report(goals: String)
        case repeatOperations(identity: String, count: Int)
        case flameGraph(input: String)
    }

    var command = Command.run
    var filters: [Regex<AnyRegexOutput>] = []
    var skips: [Regex<AnyRegexOutput>] = []
    var isQuick = false
    var format = ReportFormat.table
    var output: String?
    /// By how many percent a ratio may grow.
    var tolerance = 25.0

    static let usage = """
        usage: bench [run] [options]                        run benchmarks, and print what they gave
               bench list [options]                         print the names of benchmarks
               bench baseline update NAME [options]         run, and keep the figures under a name
               bench baseline list                          print the names of kept figures
               bench baseline compare NAME [NAME] [options] compare with kept figures
               bench baseline check NAME [NAME] [options]   the same, and exit with 4 if something got worse
               bench baseline delete NAME
               bench budgets FILE [options]                 run what the file sets limits to; exit with 4 if one is broken
               bench report GOALS [options]                 run all, and write what was measured beside the goals of a file
               bench repeat 'BENCHMARK' COUNT               do so many operations, for a profiler to look at
               bench flamegraph FILE                        draw what `perf script` printed, as SVG

          --filter REGEX      only benchmarks whose name and parameters match; can be repeated
          --skip REGEX        none of those that match; can be repeated
          --quick             look only briefly
          --format FORMAT     table (default), json, markdown, jmh, hdr or html
          --output PATH       write to a file; with hdr a folder gets a file for each benchmark
          --tolerance PERCENT by how much a ratio to a baseline may grow in a check (default 25)
          --callgrind BENCH   a statically linked bench, whose instructions valgrind counts for budgets

        exit status: 0 all is well, 1 a benchmark failed, 2 the arguments are wrong, 4 a limit is broken
        """

    init(_ words: [String]) throws(ArgumentsError) {
        var positional: [String] = []
        var callgrind: String?
        var rest = words[...]
        while let word = rest.popFirst() {
            switch word {
            case "--help", "-h":
                command = .help
                return
            case "--quick": isQuick = true
            case "--filter": filters.append(try Self.pattern(after: word, &rest))
            case "--skip": skips.append(try Self.pattern(after: word, &rest))
            case "--output": output = try Self.value(after: word, &rest)
            case "--callgrind": callgrind = try Self.value(after: word, &rest)
            case "--format":
                let name = try Self.value(after: word, &rest)
                guard let known = ReportFormat(rawValue: name) else {
                    let all = ReportFormat.allCases.map(\.rawValue).joined(separator: ", ")
                    throw ArgumentsError("There is no format '\(name)'; there are \(all).")
                }
                format = known
            case "--tolerance":
                let text = try Self.value(after: word, &rest)
                guard let percent = Double(text), percent >= 0 else {
                    throw ArgumentsError("--tolerance needs a number of percent, not '\(text)'.")
                }
                tolerance = percent
            case let word where word.hasPrefix("-"):
                throw ArgumentsError("There is no option '\(word)'.")
            default: positional.append(word)
            }
        }
        command = try Self.command(positional, callgrind: callgrind)
    }

    private static func command(_ words: [String], callgrind: String?) throws(ArgumentsError) -> Command {
        let count = words.count
        switch words.first {
        case nil: return .run
        case "run" where count == 1: return .run
        case "list" where count == 1: return .list
        case "budgets" where count == 2: return .checkBudgets(file: words[1], callgrind: callgrind)
        case "report" where count == 2: return .report(goals: words[1])
        case "flamegraph" where count == 2: return .flameGraph(input: words[1])
        case "repeat" where count == 3:
            guard let operations = Int(words[2]), operations > 0 else {
                throw ArgumentsError("'\(words[2])' is not a number of operations.")
            }
            return .repeatOperations(identity: words[1], count: operations)
        case "baseline": return try baseline(Array(words.dropFirst()))
        default:
            throw ArgumentsError("'\(words.joined(separator: " "))' is no command, or has too few or too many words.")
        }
    }

    private static func baseline(_ words: [String]) throws(ArgumentsError) -> Command {
        for name in words.dropFirst() where name.contains("/") || name.hasPrefix(".") {
            throw ArgumentsError("'\(name)' cannot be the name of a baseline: it would not be the name of a file.")
        }
        switch (words.first, words.count) {
        case ("list", 1): return .listBaselines
        case ("update", 2): return .updateBaseline(words[1])
        case ("delete", 2): return .deleteBaseline(words[1])
        case ("compare", 2...3): return .compareBaseline(words[1], with: words.count == 3 ? words[2] : nil)
        case ("check", 2...3): return .checkBaseline(words[1], with: words.count == 3 ? words[2] : nil)
        default: throw ArgumentsError("'baseline' needs update, list, compare, check or delete, and a name.")
        }
    }

    private static func value(after option: String, _ rest: inout ArraySlice<String>) throws(ArgumentsError) -> String {
        guard let value = rest.popFirst() else { throw ArgumentsError("\(option) needs a value.") }
        return value
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

    /// Whether a benchmark is wanted.
    func selects(_ identity: String) -> Bool {
        if skips.contains(where: { identity.contains($0) }) { return false }
        return filters.isEmpty || filters.contains { identity.contains($0) }
    }
}

/// What is wrong with a command line.
struct ArgumentsError: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) { self.description = description }
}
