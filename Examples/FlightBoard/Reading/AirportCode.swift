/// The code of an airport, such as `EWR`.
struct AirportCode: Hashable, Comparable, Sendable {
    let text: String

    static func < (left: AirportCode, right: AirportCode) -> Bool { left.text < right.text }
}

extension AirportCode: ExpressibleByStringLiteral {
    init(stringLiteral text: String) { self.text = text }
}
