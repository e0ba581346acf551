/// Something that must not be.
enum Finding: Hashable, Sendable {
    /// A desk said that it had accepted the order, and its journal does not have it.
    case lost(OrderID)
    /// The order was accepted more than once, or is more than once in the journal.
    case doubled(OrderID)
    /// The stock has decided about another order than the one in the journal.
    case altered(OrderID)
    /// The order is in the journal, and nothing has become of it.
    case unsettled(OrderID)
    /// The order was settled in one way, and then in another one, or the customer was told otherwise.
    case contradicted(OrderID)
    /// The journal says something else about the order than the stock.
    case settledOtherwise(OrderID, journal: Outcome, stock: Outcome?)
    /// Items are set aside for an order that no journal has.
    case stray(OrderID)
    /// What is left and what is reserved are not what was delivered.
    case unbalanced(Item, left: Int, reserved: Int, delivered: Int)
    /// Desks have said that more was delivered, or that less was, than the stock has received.
    case misdelivered(Item, said: Int, received: Int)
    /// The replica of this desk has ended with something else than a new one begins with.
    case differentReplica(desk: String)
}

extension Finding: CustomStringConvertible {
    var description: String {
        switch self {
        case .lost(let id): "order \(id) was accepted, and is not in the journal"
        case .doubled(let id): "order \(id) was accepted more than once"
        case .altered(let id): "order \(id) is another one in the stock than in the journal"
        case .unsettled(let id): "order \(id) was never settled"
        case .contradicted(let id): "order \(id) was confirmed as well as refused"
        case .settledOtherwise(let id, let journal, let stock):
            "order \(id) is \(journal) in the journal, and \(stock.map { "\($0)" } ?? "unknown") in the stock"
        case .stray(let id): "the stock knows order \(id), which is in no journal"
        case .unbalanced(let item, let left, let reserved, let delivered):
            "\(item): \(left) left and \(reserved) reserved are not the \(delivered) that were delivered"
        case .misdelivered(let item, let said, let received):
            "\(item): desks said that \(said) were delivered, and the stock has received \(received)"
        case .differentReplica(let desk): "the replica of desk \(desk) differs from a new one"
        }
    }
}
