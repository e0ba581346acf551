/// A violation.
enum Finding: Hashable, Sendable {
    /// A desk reported the order as accepted, and its log does not have it.
    case lost(OrderID)
    /// The order was accepted more than once, or is more than once in the log.
    case doubled(OrderID)
    /// The stock has decided about another order than the one in the log.
    case altered(OrderID)
    /// The order is in the log without an outcome.
    case unsettled(OrderID)
    /// The order was settled in two ways, or the customer received another outcome.
    case contradicted(OrderID)
    /// The outcome in the log differs from the stock's.
    case settledOtherwise(OrderID, log: Outcome, stock: Outcome?)
    /// Items are set aside for an order that is in no log.
    case stray(OrderID)
    /// The remaining and the reserved items do not add up to the deliveries.
    case unbalanced(Item, left: Int, reserved: Int, delivered: Int)
    /// The deliveries reported by desks do not match those in the stock.
    case misdelivered(Item, said: Int, received: Int)
    /// The final replica of this desk differs from a new one.
    case differentReplica(desk: String)
}

extension Finding: CustomStringConvertible {
    var description: String {
        switch self {
        case .lost(let id): "order \(id) was accepted, and is not in the log"
        case .doubled(let id): "order \(id) was accepted more than once"
        case .altered(let id): "order \(id) is another one in the stock than in the log"
        case .unsettled(let id): "order \(id) was never settled"
        case .contradicted(let id): "order \(id) was confirmed as well as refused"
        case .settledOtherwise(let id, let log, let stock):
            "order \(id) is \(log) in the log, and \(stock.map { "\($0)" } ?? "unknown") in the stock"
        case .stray(let id): "the stock has order \(id), which is in no log"
        case .unbalanced(let item, let left, let reserved, let delivered):
            "\(item): \(left) left and \(reserved) reserved are not the \(delivered) that were delivered"
        case .misdelivered(let item, let said, let received):
            "\(item): desks said that \(said) were delivered, and the stock has received \(received)"
        case .differentReplica(let desk): "the replica of desk \(desk) differs from a new one"
        }
    }
}
