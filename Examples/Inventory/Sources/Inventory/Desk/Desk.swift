import ActorStore
import ActorStorePersistence

/// Takes orders: stores them in its order book, and has the stock decide about them.
struct Desk: Sendable {
    let name: String
    let book: OrderBook.Durable
    let stock: Stock.Replicated
    private let numbers: OrderNumbers

    /// Opens a desk, and settles the open orders of an earlier life.
    static func open(_ arguments: DeskArguments) async throws -> Desk {
        let stock = try await Stock.join(
            through: arguments.engine.log(port: arguments.port),
            name: "desk-\(arguments.name)"
        )
        let book = try await OrderBook.open(at: arguments.log) { try await stock.decide($0) }
        let openOrders = book.snapshot.openOrders
        try await book.dispatch(.opened).finish()
        // The effects' actions have been reduced; now they are on disk as well.
        try await book.commit()
        for order in openOrders {
            if let outcome = book.snapshot.entries[order.id]?.outcome { DeskLine.settled(order.id, outcome).say() }
        }
        DeskLine.opened(settled: openOrders.count).say()
        let numbers = OrderNumbers(after: book.snapshot.newestNumber)
        return Desk(name: arguments.name, book: book, stock: stock, numbers: numbers)
    }

    /// Serves a customer: accepts an order, has the stock decide, and reports the outcome.
    ///
    /// Each step is durable before the next one begins, so that a crash between any two of them leaves behind what the
    /// next life of the desk needs.
    func serve(_ item: Item, quantity: Int) async throws {
        let id = OrderID(desk: name, number: numbers.next())
        let order = Order(id: id, item: item, quantity: quantity)
        try await book.dispatch(.placed(order))
        DeskLine.accepted(order).say()
        let outcome = try await stock.decide(order)
        try await book.dispatch(.settled(id, outcome))
        DeskLine.settled(id, outcome).say()
    }

    /// Takes a delivery in.
    func receive(_ item: Item, quantity: Int) async throws {
        try await stock.dispatch(.restock(item, quantity: quantity))
        DeskLine.delivered(item, quantity: quantity).say()
    }

    /// Reports the local stock when its state has this number of actions.
    func report(at revision: UInt64) async throws {
        while stock.revision < revision {
            if let failure = stock.statistics.failure { throw failure }
            try await Task.sleep(for: .milliseconds(2))
        }
        DeskLine.stock(try StockReport(stock.snapshot, revision: stock.revision)).say()
    }

    /// Ends both stores, with everything durable.
    func close() async throws {
        for report in [await book.shutdown(drain: .finishEffects), await stock.shutdown(drain: .finishEffects)] {
            if let failure = report.failure { throw failure }
        }
    }
}
