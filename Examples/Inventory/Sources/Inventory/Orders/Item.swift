/// What can be ordered.
enum Item: String, CaseIterable, Codable, CodingKeyRepresentable, Sendable {
    case chair, lamp, rug, shelf
}
