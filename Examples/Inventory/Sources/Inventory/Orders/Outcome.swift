/// The outcome of an order: the stock decides, and the desk informs the customer.
enum Outcome: String, Codable, Sendable {
    /// The items are set aside.
    case confirmed
    /// There were too few of them.
    case refused
}
