import TreeCollections

extension OrderBook {
    /// What the log's actions come to.
    ///
    /// It counts what must never happen instead of passing over it, so that an audit sees it.
    struct State: Codable, Equatable, Sendable {
        /// All orders. A tree, because snapshots are made while it changes, and must not copy it as a whole.
        private(set) var entries = TreeDictionary<OrderID, Entry>()
        /// The highest number that an order has; the next one goes on from there.
        private(set) var newestNumber = 0
    }

    /// An order, and what has become of it.
    struct Entry: Codable, Equatable, Sendable {
        let order: Order
        /// How often it was placed; more than once is a defect.
        var timesPlaced = 0
        /// nil while the stock has not decided.
        var outcome: Outcome?
        /// How often it was settled otherwise than before; more than never is a defect.
        var contradictions = 0
    }
}

extension OrderBook.State {
    /// Those that were accepted, and of which the customer has not heard again, in the order in which they were placed.
    var openOrders: [Order] {
        entries.filter { $0.value.outcome == nil }.map(\.value.order).sorted { $0.id < $1.id }
    }

    mutating func place(_ order: Order) {
        entries[order.id, default: OrderBook.Entry(order: order)].timesPlaced += 1
        newestNumber = max(newestNumber, order.id.number)
    }

    /// The first outcome stands, because the customer may have been told.
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
