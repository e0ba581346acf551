import Foundation
import Testing

@testable import Inventory

/// Each test breaks one thing of evidence in which all is well.
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

    /// What is found once something has been changed.
    private func findings(_ change: (inout Evidence) throws -> Void) throws -> Set<Finding> {
        var evidence = try evidence()
        try change(&evidence)
        return Set(try Audit.findings(in: evidence))
    }

    @Test("Nothing is found where all is well")
    func nothing() throws {
        #expect(try findings { _ in }.isEmpty)
    }

    @Test("A desk that was killed before it could speak of an order has done nothing wrong")
    func silence() throws {
        let found = try findings { evidence in
            let report = evidence.desks[0].ledger.report
            evidence.desks[0].ledger = DeskLedger()
            evidence.desks[0].ledger.note(.delivered(.lamp, quantity: 5))
            if let report { evidence.desks[0].ledger.note(.stock(report)) }
        }
        #expect(found.isEmpty)
    }

    @Test("An order that was accepted, and is in no log, is lost")
    func lost() throws {
        #expect(try findings { $0.desks[0].ledger.note(.accepted(.a(3))) } == [.lost(Order.a(3).id)])
    }

    @Test("An order that is in the log twice is found")
    func doubledInLog() throws {
        let found = try findings { $0.desks[0].book = $0.desks[0].book.after(.placed(one)) }
        #expect(found == [.doubled(one.id)])
    }

    @Test("An order that was accepted twice is found")
    func doubledInLedger() throws {
        #expect(try findings { $0.desks[0].ledger.note(.accepted(one)) } == [.doubled(one.id)])
    }

    @Test("An order is lost, too, when the log has another one under its number")
    func replaced() throws {
        let found = try findings { $0.desks[0].ledger.note(.accepted(.a(1, .rug))) }
        #expect(found == [.lost(one.id), .doubled(one.id)])
    }

    @Test("An order that is another one in the stock than in the log is found")
    func altered() throws {
        let found = try findings { evidence in
            evidence.desks[0].book = evidence.desks[0].book.after(.placed(.a(3)), .settled(Order.a(3).id, .refused))
            try change(&evidence, to: evidence.stock.after(.reserve(.a(3, .rug))))
        }
        #expect(found == [.altered(Order.a(3).id)])
    }

    @Test("An order of which nothing has become is found")
    func unsettled() throws {
        let found = try findings { $0.desks[0].book = $0.desks[0].book.after(.placed(.a(3))) }
        #expect(found == [.unsettled(Order.a(3).id)])
    }

    @Test("An order that was settled in two ways is found")
    func contradicted() throws {
        let found = try findings { $0.desks[0].book = $0.desks[0].book.after(.settled(one.id, .refused)) }
        #expect(found == [.contradicted(one.id)])
    }

    @Test("A customer who was told something else than the log says is found")
    func misinformed() throws {
        #expect(try findings { $0.desks[0].ledger.note(.settled(two.id, .confirmed)) } == [.contradicted(two.id)])
    }

    @Test("An order that was settled otherwise than the stock says is found")
    func settledOtherwise() throws {
        let three = Order.a(3, .lamp, 1)
        let found = try findings { evidence in
            evidence.desks[0].book = evidence.desks[0].book.after(.placed(three), .settled(three.id, .refused))
            try change(&evidence, to: evidence.stock.after(.reserve(three)))
        }
        #expect(found == [.settledOtherwise(three.id, log: .refused, stock: .confirmed)])
    }

    @Test("An order that was settled without the stock is found")
    func settledWithoutStock() throws {
        let three = Order.a(3)
        let found = try findings {
            $0.desks[0].book = $0.desks[0].book.after(.placed(three), .settled(three.id, .confirmed))
        }
        #expect(found == [.settledOtherwise(three.id, log: .confirmed, stock: nil)])
    }

    @Test("A reservation for an order that is in no log is found")
    func stray() throws {
        let found = try findings { try change(&$0, to: $0.stock.after(.reserve(.a(9, .lamp, 1)))) }
        #expect(found == [.stray(Order.a(9).id)])
    }

    @Test("Items that have vanished from the shelf are found")
    func unbalanced() throws {
        let found = try findings { evidence in
            let json = String(decoding: try JSONEncoder().encode(evidence.stock), as: UTF8.self)
            let broken = json.replacing("\"left\":3", with: "\"left\":2")
            try change(&evidence, to: JSONDecoder().decode(Stock.State.self, from: Data(broken.utf8)))
        }
        #expect(found == [.unbalanced(.lamp, left: 2, reserved: 2, delivered: 5)])
    }

    @Test("A delivery that a desk has spoken of, and the stock does not have, is found")
    func lostDelivery() throws {
        let found = try findings { $0.desks[0].ledger.note(.delivered(.rug, quantity: 5)) }
        #expect(found == [.misdelivered(.rug, said: 5, received: 0)])
    }

    @Test("A delivery of which nobody spoke is one that a killed desk may have taken in, and no more than one")
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

    @Test("Replicas that differ are found, in their state as well as in their revision")
    func differentReplica() throws {
        let other = Stock.State().after(.restock(.lamp, quantity: 5), .reserve(two), .reserve(one))
        let found = try findings { $0.desks[0].ledger.note(.stock(try StockReport(other, revision: 3))) }
        #expect(found == [.differentReplica(desk: "A")])
        #expect(try findings { $0.revision = 4 } == [.differentReplica(desk: "A")])
    }

    @Test("A desk that has not said what its replica was is found")
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
