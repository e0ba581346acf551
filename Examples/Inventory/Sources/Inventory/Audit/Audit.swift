/// Looks for what must not be: a plain function of the evidence.
struct Audit {
    private let evidence: Evidence
    private let expectedReport: StockReport

    private init(_ evidence: Evidence) throws {
        self.evidence = evidence
        expectedReport = try StockReport(evidence.stock, revision: evidence.revision)
    }

    /// All that is wrong; nothing if everything holds.
    static func findings(in evidence: Evidence) throws -> [Finding] {
        let audit = try Audit(evidence)
        return evidence.desks.flatMap(audit.findings) + audit.strays() + audit.imbalances() + audit.misdeliveries()
    }

    private func findings(about desk: Evidence.Desk) -> [Finding] {
        let entries = desk.book.entries
        // Another order under its number is no consolation: numbers of orders that were lost are given again.
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
        // Of an order which the desk was killed before it could say so, it has said nothing.
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

    /// A delivery of which a desk has spoken is there once. At each kill there may be one that came, and of which it
    /// had not spoken yet.
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
