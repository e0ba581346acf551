import Foundation
import Testing

@testable import Inventory

/// Each test breaks one part of correct evidence.
@Suite("Audit", .timeLimit(.minutes(10)))
struct AuditTests {
    private let one = Order.a(1)
    private let two = Order.a(2, .lamp, 5)

    /// A desk that has confirmed one order and refused another one.
    private func evidence() throws -> Evidence {
        let stock = Stock.State().after(.restock(.lamp, quantity: 5), .reserve(one), .reserve(two))
        let book = OrderBook.State().after(
            .opened,
            .placed(one),
            .settled(one.id, .confirmed),
            .placed(two),
            .settled(two.id, .refused)
        )
        var ledger = DeskLedger()
        let lines: [DeskLine] = [
            .opened(settled: 0), .delivered(.lamp, quantity: 5), .accepted(one), .settled(one.id, .confirmed),
            .accepted(two), .settled(two.id, .refused), .idle, .stock(try StockReport(stock, revision: 3)),
        ]
        for line in lines { ledger.note(line) }
        return Evidence(desks: [Evidence.Desk(name: "A", ledger: ledger, book: book)], stock: stock, revision: 3)
    }

    /// The violations after a change.
    private func findings(_ change: (inout Evidence) throws -> Void) throws -> Set<Finding> {
        var evidence = try evidence()
        try change(&evidence)
        return Set(try Audit.findings(in: evidence))
    }

    @Test("The audit reports nothing for a correct history")
    func nothing() throws {
        #expect(try findings { _ in }.isEmpty)
    }

    @Test("A desk killed before it could report an order has done nothing wrong")
    func silence() throws {
        let found = try findings { evidence in
            let report = evidence.desks[0].ledger.report
            evidence.desks[0].ledger = DeskLedger()
            evidence.desks[0].ledger.note(.delivered(.lamp, quantity: 5))
            if let report { evidence.desks[0].ledger.note(.stock(report)) }
        }
        #expect(found.isEmpty)
    }

    @Test("An accepted order that is in no log is lost")
    func lost() throws {
        #expect(try findings { $0.desks[0].ledger.note(.accepted(.a(3))) } == [.lost(Order.a(3).id)])
    }

    @Test("An order that is in the log twice is reported")
    func doubledInLog() throws {
        let found = try findings { $0.desks[0].book = $0.desks[0].book.after(.placed(one)) }
        #expect(found == [.doubled(one.id)])
    }

    @Test("An order that was accepted twice is reported")
    func doubledInLedger() throws {
        #expect(try findings { $0.desks[0].ledger.note(.accepted(one)) } == [.doubled(one.id)])
    }

    @Test("An order is lost if the log has another one under its number")
    func replaced() throws {
        let found = try findings { $0.desks[0].ledger.note(.accepted(.a(1, .rug))) }
        #expect(found == [.lost(one.id), .doubled(one.id)])
    }

    @Test("An order that differs between the stock and the log is reported")
    func altered() throws {
        let found = try findings { evidence in
            evidence.desks[0].book = evidence.desks[0].book.after(.placed(.a(3)), .settled(Order.a(3).id, .refused))
            try change(&evidence, to: evidence.stock.after(.reserve(.a(3, .rug))))
        }
        #expect(found == [.altered(Order.a(3).id)])
    }

    @Test("An order without an outcome is reported")
    func unsettled() throws {
        let found = try findings { $0.desks[0].book = $0.desks[0].book.after(.placed(.a(3))) }
        #expect(found == [.unsettled(Order.a(3).id)])
    }

    @Test("An order with two outcomes is reported")
    func contradicted() throws {
        let found = try findings { $0.desks[0].book = $0.desks[0].book.after(.settled(one.id, .refused)) }
        #expect(found == [.contradicted(one.id)])
    }

    @Test("An outcome told to a customer that differs from the log is reported")
    func misinformed() throws {
        #expect(try findings { $0.desks[0].ledger.note(.settled(two.id, .confirmed)) } == [.contradicted(two.id)])
    }

    @Test("An order settled differently from the stock is reported")
    func settledOtherwise() throws {
        let three = Order.a(3, .lamp, 1)
        let found = try findings { evidence in
            evidence.desks[0].book = evidence.desks[0].book.after(.placed(three), .settled(three.id, .refused))
            try change(&evidence, to: evidence.stock.after(.reserve(three)))
        }
        #expect(found == [.settledOtherwise(three.id, log: .refused, stock: .confirmed)])
    }

    @Test("An order settled without the stock is reported")
    func settledWithoutStock() throws {
        let three = Order.a(3)
        let found = try findings {
            $0.desks[0].book = $0.desks[0].book.after(.placed(three), .settled(three.id, .confirmed))
        }
        #expect(found == [.settledOtherwise(three.id, log: .confirmed, stock: nil)])
    }

    @Test("A reservation for an order in no log is reported")
    func stray() throws {
        let found = try findings { try change(&$0, to: $0.stock.after(.reserve(.a(9, .lamp, 1)))) }
        #expect(found == [.stray(Order.a(9).id)])
    }

    @Test("Vanished items are reported")
    func unbalanced() throws {
        let found = try findings { evidence in
            let json = String(decoding: try JSONEncoder().encode(evidence.stock), as: UTF8.self)
            let broken = json.replacing("\"left\":3", with: "\"left\":2")
            try change(&evidence, to: JSONDecoder().decode(Stock.State.self, from: Data(broken.utf8)))
        }
        #expect(found == [.unbalanced(.lamp, left: 2, reserved: 2, delivered: 5)])
    }

    @Test("A delivery announced by a desk that the stock does not have is reported")
    func lostDelivery() throws {
        let found = try findings { $0.desks[0].ledger.note(.delivered(.rug, quantity: 5)) }
        #expect(found == [.misdelivered(.rug, said: 5, received: 0)])
    }

    @Test("An unannounced delivery counts as one by a killed desk, and as no more than one")
    func doubledDelivery() throws {
        func found(deliveries: Int) throws -> Set<Finding> {
            try findings { evidence in
                evidence.desks[0].ledger.noteKill()
                for _ in 0..<deliveries {
                    try change(&evidence, to: evidence.stock.after(.restock(.rug, quantity: Supplier.quantity)))
                }
            }
        }
        #expect(try found(deliveries: 1).isEmpty)
        #expect(try found(deliveries: 2) == [.misdelivered(.rug, said: 0, received: 2 * Supplier.quantity)])
    }

    @Test("Replicas that differ in their state or revision are reported")
    func differentReplica() throws {
        let other = Stock.State().after(.restock(.lamp, quantity: 5), .reserve(two), .reserve(one))
        let found = try findings { $0.desks[0].ledger.note(.stock(try StockReport(other, revision: 3))) }
        #expect(found == [.differentReplica(desk: "A")])
        #expect(try findings { $0.revision = 4 } == [.differentReplica(desk: "A")])
    }

    @Test("A desk that has not reported its replica's state is reported")
    func silentReplica() throws {
        let found = try findings { evidence in
            evidence.desks.append(Evidence.Desk(name: "B", ledger: DeskLedger(), book: OrderBook.State()))
        }
        #expect(found == [.differentReplica(desk: "B")])
    }

    /// Gives all replicas another stock.
    private func change(_ evidence: inout Evidence, to stock: Stock.State) throws {
        evidence.stock = stock
        for index in evidence.desks.indices {
            evidence.desks[index].ledger.note(.stock(try StockReport(stock, revision: evidence.revision)))
        }
    }
}
