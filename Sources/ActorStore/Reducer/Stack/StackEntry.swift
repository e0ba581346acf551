/// A child in a stack, with its identity.
@usableFromInline
struct StackEntry<Element> {
    @usableFromInline let id: StackElementID
    @usableFromInline var element: Element

    @inlinable
    init(id: StackElementID, element: Element) {
        self.id = id
        self.element = element
    }
}

extension StackEntry: Sendable where Element: Sendable {}
extension StackEntry: Equatable where Element: Equatable {}
extension StackEntry: Hashable where Element: Hashable {}
extension StackEntry: Encodable where Element: Encodable {}
extension StackEntry: Decodable where Element: Decodable {}
