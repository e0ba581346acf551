/// What a desk says on its standard output, a line each. In place of the customer, whoever runs the desk listens.
enum DeskLine: Equatable, Sendable {
    /// It has started, and has settled the orders which it found open: so many.
    case opened(settled: Int)
    /// The order is in the log.
    case accepted(Order)
    /// The outcome is in the log.
    case settled(OrderID, Outcome)
    /// The stock has the delivery.
    case delivered(Item, quantity: Int)
    /// All of its customers have gone.
    case idle
    /// The stock as its replica has it.
    case stock(StockReport)
}

extension DeskLine: LosslessStringConvertible {
    /// Reads a line as it was written, and nothing that is like it: half a line can look like another one.
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
    /// Says it by one call, so that the line is there whole or not at all, whenever the process is killed.
    func say() { LineOutput.standard.write(description) }
}
