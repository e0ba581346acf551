/// The result of a demo, for readers.
struct Summary: Sendable {
    let result: DemoResult
    let findings: [Finding]
    /// More of them add no information.
    private static let shownFindings = 20

    var text: String { ([""] + table + [""] + sentences + verdict).joined(separator: "\n") }

    private var evidence: Evidence { result.evidence }

    private var table: [String] {
        var table = TextTable(header: ["orders"] + evidence.desks.map { "desk \($0.name)" } + ["all"])
        func add(_ name: String, _ figure: (Evidence.Desk) -> Int) {
            let figures = evidence.desks.map(figure)
            table.append([name] + (figures + [figures.reduce(0, +)]).map { "\($0)" })
        }
        add("accepted") { $0.ledger.accepted.count }
        add("in the log") { $0.book.entries.count }
        add("confirmed") { $0.count(of: .confirmed) }
        add("refused") { $0.count(of: .refused) }
        add("settled after a restart") { $0.ledger.settledAtStart }
        add("lost") { desk in
            findings.count { if case .lost(let id) = $0 { id.desk == desk.name } else { false } }
        }
        return table.lines
    }

    private var sentences: [String] {
        let kills = result.kills.sorted { "\($0.key)" < "\($1.key)" }.map { "\($0.value) of \($0.key)" }
        let total = result.kills.values.reduce(0, +)
        let stock = evidence.stock
        let reserved = stock.reserved.values.reduce(0, +)
        let (left, delivered) = (
            Item.allCases.map(stock.left).reduce(0, +), Item.allCases.map(stock.delivered).reduce(0, +)
        )
        let seconds = (result.elapsed / .milliseconds(100)).rounded() / 10
        return [
            "Kills: \(total)\(kills.isEmpty ? "" : " (\(kills.joined(separator: ", ")))"), "
                + "in \(seconds) s, with seed \(result.seed)",
            "Asked for again by desks that had been killed, and done once: \(stock.repetitions)",
            "Stock in \(result.engine), after \(evidence.revision) actions: \(left) left + \(reserved) reserved, \(delivered) delivered",
        ]
    }

    private var verdict: [String] {
        if findings.isEmpty { return ["Nothing was lost, and all logs and replicas agree."] }
        let shown = findings.prefix(Self.shownFindings).map { "- \($0)" }
        let rest = findings.count - shown.count
        return ["", "What does not hold:"] + shown + (rest > 0 ? ["- and \(rest) more"] : [])
    }
}

extension Evidence.Desk {
    /// The number of orders with this outcome.
    func count(of outcome: Outcome) -> Int { book.entries.count { $0.value.outcome == outcome } }
}
