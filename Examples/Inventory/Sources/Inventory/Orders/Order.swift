/// What a customer wants.
struct Order: Codable, Equatable, Sendable {
    let id: OrderID
    let item: Item
    let quantity: Int
}
