/// Places one order after another.
struct Customer: Sendable {
    let desk: Desk
    let isLeaving: Mark

    func shop(_ generator: SeededGenerator) async throws {
        var generator = generator
        while !isLeaving.isSet {
            let item = Item.allCases.randomElement(using: &generator) ?? .lamp
            try await desk.serve(item, quantity: Int.random(in: 1...5, using: &generator))
            // The pause before an order.
            try await Task.sleep(for: .milliseconds(Int.random(in: 0...8, using: &generator)))
        }
    }
}
