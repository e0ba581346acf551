import Foundation
import Testing

@testable import Inventory

@Suite("The stock", .timeLimit(.minutes(10)))
struct StockTests {
    private let stock = Stock.State().after(.restock(.lamp, quantity: 5))

    @Test("A reservation takes the items it needs, and no others")
    func reservation() {
        let state = stock.after(.restock(.rug, quantity: 1), .reserve(.a(1)))
        #expect(state.left(.lamp) == 3 && state.left(.rug) == 1)
        #expect(state.reserved == [.lamp: 2])
        #expect(state.reservations[Order.a(1).id]?.outcome == .confirmed)
    }

    @Test("An order is reserved once, however often it is requested")
    func repetition() {
        let once = stock.after(.reserve(.a(1)))
        let often = once.after(.reserve(.a(1)), .reserve(.a(1)))
        #expect(often.left(.lamp) == 3 && often.reserved == once.reserved)
        #expect(often.reservations == once.reservations)
        #expect(often.repetitions == 2)
    }

    @Test("An order is refused when too little is left, and nothing is taken")
    func refusal() {
        let state = stock.after(.reserve(.a(1, .lamp, 5)), .reserve(.a(2, .lamp, 1)))
        #expect(state.reservations[Order.a(2).id]?.outcome == .refused)
        #expect(state.left(.lamp) == 0 && state.reserved == [.lamp: 5])
    }

    @Test("A refused order stays refused, also when there is enough again")
    func refusalStands() {
        let state = stock.after(.reserve(.a(1, .lamp, 6)), .restock(.lamp, quantity: 9), .reserve(.a(1, .lamp, 6)))
        #expect(state.reservations[Order.a(1).id]?.outcome == .refused)
        #expect(state.left(.lamp) == 14)
    }

    @Test("The remaining and reserved items add up to the delivered ones, whatever happens")
    func balance() {
        var generator = SeededGenerator("balance", 1)
        var state = Stock.State()
        for _ in 0..<2_000 {
            let item = Item.allCases.randomElement(using: &generator) ?? .lamp
            let order = Order.a(Int.random(in: 1...900, using: &generator), item, .random(in: 1...5, using: &generator))
            let isDelivery = Int.random(in: 0..<20, using: &generator) == 0
            state = state.after(isDelivery ? .restock(item, quantity: 30) : .reserve(order))
            #expect(Item.allCases.allSatisfy { state.left($0) >= 0 })
        }
        for item in Item.allCases {
            #expect(state.left(item) + state.reserved[item, default: 0] == state.delivered(item))
        }
        #expect(state.repetitions > 0 && state.reservations.contains { $0.value.outcome == .refused })
    }

    @Test("A state is equal after encoding, and so is its digest")
    func coding() throws {
        let state = stock.after(.reserve(.a(1)), .reserve(.a(2, .rug)))
        let copy = try JSONDecoder().decode(Stock.State.self, from: JSONEncoder().encode(state))
        #expect(copy == state)
        #expect(try StockReport(copy, revision: 3) == StockReport(state, revision: 3))
        #expect(try StockReport(stock, revision: 3) != StockReport(state, revision: 3))
    }
}
