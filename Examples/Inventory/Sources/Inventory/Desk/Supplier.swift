/// Comes by repeatedly, and delivers scarce items; sometimes too late, so that orders are refused.
struct Supplier: Sendable {
    /// The number of items in a delivery.
    static let quantity = 40
    private static let enough = 20

    let desk: Desk
    let isLeaving: Mark

    func deliver() async throws {
        while !isLeaving.isSet {
            for item in Item.allCases where desk.stock.snapshot.left(item) < Self.enough {
                try await desk.receive(item, quantity: Self.quantity)
            }
            try await Task.sleep(for: .milliseconds(50))
        }
    }
}
