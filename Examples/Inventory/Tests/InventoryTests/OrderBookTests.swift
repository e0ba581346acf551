import ActorStore
import Testing

@testable import Inventory

@Suite("The order book", .timeLimit(.minutes(10)))
struct OrderBookTests {
    private let placed = OrderBook.State().after(.placed(.a(1)))

    @Test("An order is open until it is settled")
    func settlement() {
        #expect(placed.openOrders == [.a(1)])
        let settled = placed.after(.settled(Order.a(1).id, .confirmed))
        #expect(settled.openOrders.isEmpty)
        #expect(settled.entries[Order.a(1).id]?.outcome == .confirmed)
    }

    @Test("Settling an order twice in the same way changes nothing")
    func repeatedSettlement() {
        let settled = placed.after(.settled(Order.a(1).id, .refused))
        #expect(settled.after(.settled(Order.a(1).id, .refused)) == settled)
    }

    @Test("The first outcome is kept, and another one is counted")
    func contradiction() {
        let state = placed.after(.settled(Order.a(1).id, .refused), .settled(Order.a(1).id, .confirmed))
        #expect(state.entries[Order.a(1).id]?.outcome == .refused)
        #expect(state.entries[Order.a(1).id]?.contradictions == 1)
    }

    @Test("An order placed twice is counted, and loses nothing")
    func doubled() {
        let state = placed.after(.settled(Order.a(1).id, .confirmed), .placed(.a(1)))
        #expect(state.entries[Order.a(1).id]?.timesPlaced == 2)
        #expect(state.entries[Order.a(1).id]?.outcome == .confirmed)
    }

    @Test("Numbers continue behind the newest order")
    func numbers() {
        let state = OrderBook.State().after(.placed(.a(7)), .placed(.a(3)))
        #expect(OrderNumbers(after: state.newestNumber).next() == 8)
    }

    @Test("Orders open at the end of a desk are settled at its reopening, and no others")
    func opening() async throws {
        let state = placed.after(.placed(.a(2)), .settled(Order.a(2).id, .refused), .placed(.a(3, .rug)))
        let store = Store(
            initialState: state,
            reducer: OrderBook { order in
                #expect(order.id != Order.a(2).id)
                return order.item == .rug ? .refused : .confirmed
            }
        )
        try await store.dispatch(.opened).finish()
        #expect(
            store.snapshot
                == state.after(.settled(Order.a(1).id, .confirmed), .settled(Order.a(3).id, .refused))
        )
    }
}
