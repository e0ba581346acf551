import TreeCollections

extension OrderBook {
    /// The state of the log's actions.
    ///
    /// It counts violations instead of ignoring them, so that an audit sees them.
    struct State: Codable, Equatable, Sendable {
        /// All orders. A tree, because snapshots are made while it changes, and must not copy the whole.
        private(set) var entries = TreeDictionary<OrderID, Entry>()
        /// The highest number of an order; the next one follows it.
        private(set) var newestNumber = 0
    }

    /// An order, and its outcome.
    struct Entry: Codable, Equatable, Sendable {
        let order: Order
        /// The number of times it was placed; more than one is a defect.
        var timesPlaced = 0
        /// nil while the stock has not decided.
        var outcome: Outcome?
        /// The number of times it was settled differently; more than zero is a defect.
        var contradictions = 0
    }
}

extension OrderBook.State {
    /// The accepted orders whose customer has no outcome yet, in the order of their placement.
    var openOrders: [Order] {
        entries.filter { $0.value.outcome == nil }.map(\.value.order).sorted { $0.id < $1.id }
    }

    mutating func place(_ order: Order) {
        entries[order.id, default: OrderBook.Entry(order: order)].timesPlaced += 1
        newestNumber = max(newestNumber, order.id.number)
    }

    /// The first outcome is kept, because the customer may have received it.
    mutating func settle(_ id: OrderID, _ outcome: Outcome) {
        guard var entry = entries[id] else { return }
        if let earlier = entry.outcome {
            guard earlier != outcome else { return }
            entry.contradictions += 1
        } else {
            entry.outcome = outcome
        }
        entries[id] = entry
    }
}
