/// The input of an audit: the reports of desks, the contents of their logs, and the stock.
struct Evidence: Sendable {
    /// A desk that has ended.
    struct Desk: Sendable {
        let name: String
        var ledger: DeskLedger
        /// As in its log.
        var book: OrderBook.State
    }

    var desks: [Desk]
    /// The stock, from a newly joined replica.
    var stock: Stock.State
    /// The number of actions in its state.
    var revision: UInt64
}
