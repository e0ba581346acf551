/// The reports of a desk on its standard output, a line each. The process that runs the desk reads them in place of the
/// customer.
enum DeskLine: Equatable, Sendable {
    /// It has started, and has settled this number of open orders.
    case opened(settled: Int)
    /// The order is in the log.
    case accepted(Order)
    /// The outcome is in the log.
    case settled(OrderID, Outcome)
    /// The stock has the delivery.
    case delivered(Item, quantity: Int)
    /// All of its customers have left.
    case idle
    /// The stock of its replica.
    case stock(StockReport)
}

extension DeskLine: LosslessStringConvertible {
    /// Reads a line exactly as it was written: half a line can look like another one.
    init?(_ text: String) {
        let words = text.split(separator: " ").map(String.init)
        let line: DeskLine? =
            switch (words.first, words.count) {
            case ("opened", 2): Int(words[1]).map { .opened(settled: $0) }
            case ("accepted", 4): Self.accepted(words)
            case ("settled", 3): Self.settled(words)
            case ("delivered", 3): Self.delivered(words)
            case ("idle", 1): .idle
            case ("stock", 3): UInt64(words[1]).map { .stock(StockReport(revision: $0, digest: words[2])) }
            default: nil
            }
        guard let line, line.description == text else { return nil }
        self = line
    }

    private static func accepted(_ words: [String]) -> DeskLine? {
        guard let id = OrderID(words[1]), let item = Item(rawValue: words[2]), let quantity = Int(words[3]) else {
            return nil
        }
        return .accepted(Order(id: id, item: item, quantity: quantity))
    }

    private static func settled(_ words: [String]) -> DeskLine? {
        guard let id = OrderID(words[1]), let outcome = Outcome(rawValue: words[2]) else { return nil }
        return .settled(id, outcome)
    }

    private static func delivered(_ words: [String]) -> DeskLine? {
        guard let item = Item(rawValue: words[1]), let quantity = Int(words[2]) else { return nil }
        return .delivered(item, quantity: quantity)
    }

    var description: String {
        switch self {
        case .opened(let settled): "opened \(settled)"
        case .accepted(let order): "accepted \(order.id) \(order.item) \(order.quantity)"
        case .settled(let id, let outcome): "settled \(id) \(outcome)"
        case .delivered(let item, let quantity): "delivered \(item) \(quantity)"
        case .idle: "idle"
        case .stock(let report): "stock \(report.revision) \(report.digest)"
        }
    }
}

extension DeskLine {
    /// Writes the line in one call, so that it is complete or absent whenever the process is killed.
    func say() { LineOutput.standard.write(description) }
}
