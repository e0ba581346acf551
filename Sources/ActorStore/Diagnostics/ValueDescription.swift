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
    /// - Complexity: O(*n*), where *n* is the size of what is written, except that dictionaries and sets are sorted, by
    ///   all of their keys and elements. An element is described once, and copied for each set and key around it.
    public init(of value: Any, maximumElements: Int = 32) {
        line = Self.withoutDot(Self.line(of: value, maximumElements: maximumElements, within: []))
    }

    /// The dot of a case belongs where a type is expected, not at the beginning of a line.
    static func withoutDot(_ text: String) -> String {
        text.hasPrefix(".") ? String(text.dropFirst()) : text
    }

    /// The value in one line.
    public var description: String { line }

    /// A value as a part of a sentence: what `String(describing:)` says, without what is ``Redactable``.
    ///
    /// A type that describes itself is taken as it is, also over several lines; a string has no quotation marks.
    package static func text(of value: Any) -> String {
        ValueShape.describesItself(value) ? String(describing: value) : ValueDescription(of: value).line
    }

    /// - Parameters:
    ///   - length: With how many characters the line may be broken off, if the value has members.
    ///   - contents: What is known of redactable values in the value.
    ///   - ancestors: the objects that the value is part of, so that a cycle ends.
    static func line(
        of value: Any,
        maximumElements: Int,
        upTo length: Int = .max,
        contents: RedactableContents? = nil,
        within ancestors: [ObjectIdentifier]
    ) -> String {
        var line = ""
        write(value, to: &line, maximumElements: maximumElements, upTo: length, contents: contents, within: ancestors)
        return line
    }

    private static func write(
        _ value: Any,
        to line: inout String,
        maximumElements: Int,
        upTo length: Int,
        contents: RedactableContents?,
        within ancestors: [ObjectIdentifier]
    ) {
        guard let path = extend(ancestors, by: value) else { return line += "…" }
        let shape = ValueShape(of: value, maximumElements: maximumElements, contents: contents, within: path)
        if let text = shape.text { return line += text }
        line += shape.opening
        let members = shape.members.prefix(shape.kind == .record ? .max : maximumElements)
        for (index, member) in members.enumerated() {
            // Characters are counted when there may be enough of them, because that takes looking at each.
            if line.utf8.count > length, line.count > length { return }
            if index > 0 { line += ", " }
            if shape.kind != .list, let label = member.label { line += "\(label): " }
            if let text = member.text {
                line += text
            } else {
                write(
                    member.value,
                    to: &line,
                    maximumElements: maximumElements,
                    upTo: length,
                    contents: member.contents,
                    within: path
                )
            }
        }
        if members.count < shape.members.count {
            line += "\(members.isEmpty ? "" : ", ")… (\(shape.members.count - members.count) more)"
        }
        line += shape.closing
    }

    /// - Returns: nil if the value is one of the objects that it is part of.
    static func extend(_ ancestors: [ObjectIdentifier], by value: Any) -> [ObjectIdentifier]? {
        let value = ValueShape.unwrapped(value)
        guard type(of: value) is any AnyObject.Type else { return ancestors }
        let identity = ObjectIdentifier(value as AnyObject)
        return ancestors.contains(identity) ? nil : ancestors + [identity]
    }
}
