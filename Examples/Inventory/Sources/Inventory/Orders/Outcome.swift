/// What has become of an order: the stock decides, and the desk tells the customer.
enum Outcome: String, Codable, Sendable {
    /// The items are set aside.
    case confirmed
    /// There were too few of them.
    case refused
}
