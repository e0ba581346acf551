/// Looks for violations: a plain function of the evidence.
struct Audit {
    private let evidence: Evidence
    private let expectedReport: StockReport

    private init(_ evidence: Evidence) throws {
        self.evidence = evidence
        expectedReport = try StockReport(evidence.stock, revision: evidence.revision)
    }

    /// All violations; empty if everything holds.
    static func findings(in evidence: Evidence) throws -> [Finding] {
        let audit = try Audit(evidence)
        return evidence.desks.flatMap(audit.findings) + audit.strays() + audit.imbalances() + audit.misdeliveries()
    }

    private func findings(about desk: Evidence.Desk) -> [Finding] {
        let entries = desk.book.entries
        // Another order under its number does not make up for it: numbers of lost orders are reused.
        let lost = desk.ledger.accepted.filter { id, orders in orders.contains { $0 != entries[id]?.order } }
        var findings = lost.keys.sorted().map { Finding.lost($0) }
        for (id, entry) in entries.sorted(by: { $0.key < $1.key }) {
            findings += self.findings(about: entry, id, desk.ledger)
        }
        if desk.ledger.report != expectedReport { findings.append(.differentReplica(desk: desk.name)) }
        return findings
    }

    private func findings(about entry: OrderBook.Entry, _ id: OrderID, _ ledger: DeskLedger) -> [Finding] {
        var findings: [Finding] = []
        let reservation = evidence.stock.reservations[id]
        // A desk that was killed before it could report an order has reported nothing about it.
        if entry.timesPlaced != 1 || ledger.accepted[id]?.count ?? 0 > 1 { findings.append(.doubled(id)) }
        if let reservation, reservation.order != entry.order { findings.append(.altered(id)) }
        guard let outcome = entry.outcome else { return findings + [.unsettled(id)] }
        let told = ledger.settled[id] ?? []
        if entry.contradictions > 0 || !told.isSubset(of: [outcome]) { findings.append(.contradicted(id)) }
        if reservation?.outcome != outcome {
            findings.append(.settledOtherwise(id, log: outcome, stock: reservation?.outcome))
        }
        return findings
    }

    private func strays() -> [Finding] {
        evidence.stock.reservations.map(\.key).sorted().filter { id in
            !evidence.desks.contains { $0.book.entries.containsKey(id) }
        }
        .map { .stray($0) }
    }

    private func imbalances() -> [Finding] {
        let reserved = evidence.stock.reserved
        return Item.allCases.compactMap { item in
            let (left, delivered) = (evidence.stock.left(item), evidence.stock.delivered(item))
            let isBalanced = left >= 0 && left + reserved[item, default: 0] == delivered
            return isBalanced
                ? nil : .unbalanced(item, left: left, reserved: reserved[item, default: 0], delivered: delivered)
        }
    }

    /// A delivery reported by a desk exists once. Each kill can add one that arrived and was not reported yet.
    private func misdeliveries() -> [Finding] {
        let kills = evidence.desks.map(\.ledger.kills).reduce(0, +)
        return Item.allCases.compactMap { item in
            let said = evidence.desks.map { $0.ledger.delivered[item] ?? 0 }.reduce(0, +)
            let received = evidence.stock.delivered(item)
            return (said...said + kills * Supplier.quantity).contains(received)
                ? nil : .misdelivered(item, said: said, received: received)
        }
    }
}
