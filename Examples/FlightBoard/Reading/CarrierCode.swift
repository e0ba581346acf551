/// The code of an airline, such as `UA`.
struct CarrierCode: Hashable, Comparable, Sendable {
    let text: String

    static func < (left: CarrierCode, right: CarrierCode) -> Bool { left.text < right.text }
}

extension CarrierCode: ExpressibleByStringLiteral {
    init(stringLiteral text: String) { self.text = text }
}
