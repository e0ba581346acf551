@testable import Inventory

extension Order {
    /// An order of desk A.
    static func a(_ number: Int, _ item: Item = .lamp, _ quantity: Int = 2) -> Order {
        Order(id: OrderID(desk: "A", number: number), item: item, quantity: quantity)
    }
}

extension Stock.State {
    /// The state after these actions, as a plain function of both.
    func after(_ actions: Stock.Action...) -> Stock.State {
        var state = self
        for action in actions { _ = Stock().reduce(into: &state, action: action) }
        return state
    }
}

extension OrderBook.State {
    func after(_ actions: OrderBook.Action...) -> OrderBook.State {
        var state = self
        let book = OrderBook { _ in .refused }
        for action in actions { _ = book.reduce(into: &state, action: action) }
        return state
    }
}
