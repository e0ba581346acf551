/// The items of the shop.
enum Item: String, CaseIterable, Codable, CodingKeyRepresentable, Sendable {
    case chair, lamp, rug, shelf
}
