/// Limits or goals beside the measured figures.
struct GoalTable {
    /// The verdict on a figure and its limit.
    enum Verdict: Equatable {
        case met
        case missed
        /// The measurement is undecided, with the reason.
        case notDecided(String)
        /// There is no figure, with the reason.
        case notMeasured(String)
    }

    struct Row {
        let what: String
        let limit: Double
        let figure: Figure?
        let verdict: Verdict
        /// Whether the figure is so far below a limit with a tolerance that the limit should be renewed.
        var isImproved = false
        /// The limit calculated from the figure; nil if the limit has no tolerance.
        var newLimit: Double?
    }

    private(set) var rows: [Row]

    init(_ budgets: [Budget], in report: Report) {
        rows = budgets.map { budget in
            Self.row(
                budget.what,
                budget.finding(in: report),
                limit: budget.atMost,
                withNoise: budget.limitWithNoise,
                tolerance: budget.tolerance
            )
        }
    }

    /// Adds a limit for instructions counted by valgrind.
    mutating func append(_ budget: BudgetFile.InstructionBudget, instructions: Double) {
        let finding = Finding.figure(Figure(value: instructions))
        rows.append(
            Self.row(budget.what, finding, limit: budget.atMost, withNoise: budget.atMost, tolerance: budget.tolerance)
        )
    }

    private static func row(
        _ what: String,
        _ finding: Finding,
        limit: Double,
        withNoise limitWithNoise: Double,
        tolerance: Double?
    ) -> Row {
        switch finding {
        case .missing(let why): return Row(what: what, limit: limit, figure: nil, verdict: .notMeasured(why))
        case .undecided(let figure, let why):
            return Row(what: what, limit: limit, figure: figure, verdict: .notDecided(why))
        case .figure(let figure):
            var row = Row(what: what, limit: limit, figure: figure, verdict: verdict(on: figure, limitWithNoise))
            if let tolerance {
                let fraction = tolerance / 100
                row.newLimit = figure.value * (1 + fraction)
                let upper = figure.quartiles?.upper ?? figure.value
                row.isImproved = upper < limit / (1 + fraction) * (1 - fraction)
            }
            return row
        }
    }

    private static func verdict(on figure: Figure, _ limit: Double) -> Verdict {
        guard figure.value.isFinite else { return .notMeasured("the figure is not a number") }
        guard let quartiles = figure.quartiles else { return figure.value <= limit ? .met : .missed }
        if quartiles.upper <= limit { return .met }
        return quartiles.lower > limit ? .missed : .notDecided("the quartiles include the limit")
    }

    /// Whether a limit is broken, or could not be measured. An undecided limit breaks nothing.
    var isBroken: Bool {
        rows.contains { row in
            switch row.verdict {
            case .missed, .notMeasured: true
            case .met, .notDecided: false
            }
        }
    }

    /// Whether a figure is better than the tolerance of its limit.
    var isImproved: Bool { rows.contains(where: \.isImproved) }

    /// The new limits by their descriptions.
    var newLimits: [String: Double] {
        Dictionary(rows.compactMap { row in row.newLimit.map { (row.what, $0) } }) { first, _ in first }
    }

    // MARK: Text

    /// The meaning of the word «apart».
    static let apartNote = """
        «Apart» marks a figure of two benchmarks that did not run interleaved: it is made of the quartiles of both.
        """

    /// The number of goals with each verdict.
    var summary: String {
        let words = rows.map { Self.word(for: $0.verdict) }
        let counts = ["met", "missed", "not decided", "not measured"].map { word in
            (word, words.count { $0 == word })
        }
        return counts.filter { $0.1 > 0 }.map { "\($0.1) \($0.0)" }.joined(separator: ", ") + "."
    }

    var text: String {
        var table = TextTable()
        table.append(["", "at most", "measured", "quartiles", "verdict"])
        for row in rows {
            let word = row.verdict == .missed ? "BROKEN" : Self.description(of: row.verdict)
            table.append(cells(of: row) + [row.isImproved ? "\(word), improved" : word])
        }
        return table.lines.joined(separator: "\n") + "\n\n\(summary)"
    }

    var markdown: String {
        SuiteTables.markdown(
            heads: ["goal", "at most", "measured", "quartiles", "verdict"],
            alignments: ["---", "---:", "---:", "---:", "---"],
            rows: rows.map { row in
                cells(of: row) + [row.verdict == .missed ? "**missed**" : Self.description(of: row.verdict)]
            }
        )
    }

    private func cells(of row: Row) -> [String] {
        [
            row.what, NumberText.short(row.limit), row.figure.map { NumberText.short($0.value) } ?? "-",
            row.figure?.quartileText ?? "",
        ]
    }

    private static func word(for verdict: Verdict) -> String {
        switch verdict {
        case .met: "met"
        case .missed: "missed"
        case .notDecided: "not decided"
        case .notMeasured: "not measured"
        }
    }

    private static func description(of verdict: Verdict) -> String {
        switch verdict {
        case .met, .missed: word(for: verdict)
        case .notDecided(let why), .notMeasured(let why): "\(word(for: verdict)): \(why)"
        }
    }
}
