/// Names an order: its desk, and its number there, as in `A-17`.
///
/// The desk names the order before it asks the stock, so that a repeated question, after a crash, is recognised as
/// being about the same order.
struct OrderID: Hashable, Sendable {
    let desk: String
    let number: Int
}

extension OrderID: Comparable {
    static func < (left: OrderID, right: OrderID) -> Bool {
        (left.desk, left.number) < (right.desk, right.number)
    }
}

extension OrderID: LosslessStringConvertible {
    init?(_ text: String) {
        let parts = text.split(separator: "-", omittingEmptySubsequences: false)
        guard parts.count == 2, !parts[0].isEmpty, let number = Int(parts[1]), number > 0 else { return nil }
        self.init(desk: String(parts[0]), number: number)
    }

    var description: String { "\(desk)-\(number)" }
}

// As text, so that a table of orders is a JSON object, whose keys can be sorted.
extension OrderID: Codable, CodingKeyRepresentable {
    private struct Key: CodingKey {
        let stringValue: String
        var intValue: Int? { nil }

        init(stringValue: String) { self.stringValue = stringValue }
        init?(intValue: Int) { nil }
    }

    init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        guard let id = OrderID(try container.decode(String.self)) else {
            throw DecodingError.dataCorruptedError(in: container, debugDescription: "This does not name an order.")
        }
        self = id
    }

    func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(description)
    }

    init?(codingKey: some CodingKey) { self.init(codingKey.stringValue) }

    var codingKey: any CodingKey { Key(stringValue: description) }
}
