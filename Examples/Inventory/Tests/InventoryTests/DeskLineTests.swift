import Testing

@testable import Inventory

@Suite("Lines of desks", .timeLimit(.minutes(10)))
struct DeskLineTests {
    @Test(
        "Each kind of line is read back as it was written",
        arguments: [
            ("opened 3", DeskLine.opened(settled: 3)),
            ("accepted A-17 lamp 3", .accepted(.a(17, .lamp, 3))),
            ("settled A-17 confirmed", .settled(Order.a(17).id, .confirmed)),
            ("settled B2-1 refused", .settled(OrderID(desk: "B2", number: 1), .refused)),
            ("delivered rug 40", .delivered(.rug, quantity: 40)),
            ("idle", .idle),
            ("stock 12 5fa3", .stock(StockReport(revision: 12, digest: "5fa3"))),
        ]
    )
    func lines(text: String, line: DeskLine) {
        #expect(DeskLine(text) == line)
        #expect(line.description == text)
    }

    @Test(
        "Foreign lines and half lines are refused",
        arguments: [
            "", " ", "opened", "opened x", "opened 3 4", "opened  3", "opened +3", "opened 03", "accepted A-17 lamp",
            "accepted A-17 lamp 3 ", "accepted A-17 hat 3", "accepted A17 lamp 3", "accepted -17 lamp 3",
            "accepted A-0 lamp 3", "accepted A-1-2 lamp 3", "settled A-17", "settled A-17 conf", "settled A-17 Refused",
            "delivered rug", "delivered 40 rug", "idle…", "idle now", "Idle", "stock 12", "stock -1 5fa3",
            "stock 12 5 3",
        ]
    )
    func refused(text: String) {
        #expect(DeskLine(text) == nil)
    }

    @Test("No prefix of a line with an outcome is a line")
    func beginnings() {
        let text = DeskLine.settled(Order.a(17).id, .confirmed).description
        for count in 0..<text.count { #expect(DeskLine(String(text.prefix(count))) == nil) }
    }
}
