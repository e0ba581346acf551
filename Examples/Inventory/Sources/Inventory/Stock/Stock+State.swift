import TreeCollections

extension Stock {
    struct State: Codable, Equatable, Sendable {
        private(set) var shelves = [Item: Shelf](uniqueKeysWithValues: Item.allCases.map { ($0, Shelf()) })
        /// The decisions about orders. A service would forget those settled long ago.
        private(set) var reservations = TreeDictionary<OrderID, Reservation>()
        /// The number of repeated questions about an order, after a crash.
        private(set) var repetitions = 0
    }

    /// The counts of an item.
    struct Shelf: Codable, Equatable, Sendable {
        /// The number available for reservations.
        var left = 0
        /// The number ever delivered.
        var delivered = 0
    }

    /// The decision about an order.
    struct Reservation: Codable, Equatable, Sendable {
        let order: Order
        let outcome: Outcome
    }
}

extension Stock.State {
    mutating func reserve(_ order: Order) {
        guard reservations[order.id] == nil else {
            repetitions += 1
            return
        }
        let isEnough = left(order.item) >= order.quantity
        if isEnough { shelves[order.item, default: Stock.Shelf()].left -= order.quantity }
        reservations[order.id] = Stock.Reservation(order: order, outcome: isEnough ? .confirmed : .refused)
    }

    mutating func restock(_ item: Item, _ quantity: Int) {
        shelves[item, default: Stock.Shelf()].left += quantity
        shelves[item, default: Stock.Shelf()].delivered += quantity
    }

    func left(_ item: Item) -> Int { shelves[item]?.left ?? 0 }

    func delivered(_ item: Item) -> Int { shelves[item]?.delivered ?? 0 }

    /// The reserved number of each item: counted from the reservations, so that it can be compared with the shelves.
    var reserved: [Item: Int] {
        reservations.reduce(into: [:]) { sums, entry in
            let (order, outcome) = (entry.value.order, entry.value.outcome)
            if outcome == .confirmed { sums[order.item, default: 0] += order.quantity }
        }
    }
}
