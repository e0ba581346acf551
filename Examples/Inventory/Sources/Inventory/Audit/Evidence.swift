/// What an audit compares: what desks have said, what their logs hold, and what the stock is.
struct Evidence: Sendable {
    /// A desk that has ended.
    struct Desk: Sendable {
        let name: String
        var ledger: DeskLedger
        /// As its log has it.
        var book: OrderBook.State
    }

    var desks: [Desk]
    /// The stock, as a replica has it that has only just joined.
    var stock: Stock.State
    /// How many actions that is made of.
    var revision: UInt64
}
