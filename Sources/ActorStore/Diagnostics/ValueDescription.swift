/// A value in plain text: an action in a log, a part of a state in a difference.
///
/// ```swift
/// ValueDescription(of: Shop.Action.order(item: 7, quantity: 2)).line    // order(item: 7, quantity: 2)
/// ```
///
/// A case is written with its label and payload, a structure with its type's name and properties, dictionaries and sets
/// in order. A type that conforms to `CustomDebugStringConvertible` or `CustomStringConvertible` is shown by its own
/// description; what is ``Redactable`` is left out, also if it is in a type of the standard library that describes itself.
public struct ValueDescription: Sendable, Equatable, CustomStringConvertible {
    /// The value in one line.
    public let line: String

    /// Describes a value.
    ///
    /// - Parameters:
    ///   - value: Any value.
    ///   - maximumElements: How many elements of each collection are written; the rest is counted.
    /// - Complexity: O(*n*), where *n* is the size of what is written, except that dictionaries and sets are sorted.
    public init(of value: Any, maximumElements: Int = 32) {
        let text = Self.line(of: value, maximumElements: maximumElements, within: [])
        // The dot of a case belongs where a type is expected, not at the beginning of a line.
        line = text.hasPrefix(".") ? String(text.dropFirst()) : text
    }

    /// The value in one line.
    public var description: String { line }

    /// A value as a part of a sentence: what `String(describing:)` says, without what is ``Redactable``.
    ///
    /// A type that describes itself is taken as it is, also over several lines; a string has no quotation marks.
    package static func text(of value: Any) -> String {
        ValueShape.describesItself(value) ? String(describing: value) : ValueDescription(of: value).line
    }

    /// - Parameter ancestors: the objects that the value is part of, so that a cycle ends.
    static func line(of value: Any, maximumElements: Int, within ancestors: [ObjectIdentifier]) -> String {
        guard let path = extend(ancestors, by: value) else { return "…" }
        let shape = ValueShape(of: value)
        if let text = shape.text { return text }
        var parts = shape.members.prefix(shape.kind == .record ? .max : maximumElements).map { member in
            let text = line(of: member.value, maximumElements: maximumElements, within: path)
            return shape.kind == .list ? text : member.label.map { "\($0): \(text)" } ?? text
        }
        if parts.count < shape.members.count { parts.append("… (\(shape.members.count - parts.count) more)") }
        return shape.opening + parts.joined(separator: ", ") + shape.closing
    }

    /// - Returns: nil if the value is one of the objects that it is part of.
    static func extend(_ ancestors: [ObjectIdentifier], by value: Any) -> [ObjectIdentifier]? {
        let value = ValueShape.unwrapped(value)
        guard type(of: value) is any AnyObject.Type else { return ancestors }
        let identity = ObjectIdentifier(value as AnyObject)
        return ancestors.contains(identity) ? nil : ancestors + [identity]
    }
}
