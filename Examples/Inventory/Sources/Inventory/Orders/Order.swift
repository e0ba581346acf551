/// The wish of a customer.
struct Order: Codable, Equatable, Sendable {
    let id: OrderID
    let item: Item
    let quantity: Int
}
