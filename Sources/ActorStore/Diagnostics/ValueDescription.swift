extension String {
    /// Creates a description of a value in one line of plain text, without ``Redactable`` values; for example of an
    /// action in a log.
    ///
    /// ```swift
    /// String(redacting: Shop.Action.order(item: 7, quantity: 2))    // order(item: 7, quantity: 2)
    /// ```
    ///
    /// A case is written with its label and payload, a structure with its type name and properties. Dictionaries and
    /// sets are sorted. An object is written as its type name, because its contents may be changed meanwhile. A type
    /// that conforms to `CustomDebugStringConvertible` or `CustomStringConvertible` is written as its own description.
    /// ``Redactable`` values are left out, even inside types of the standard library that describe themselves.
    ///
    /// - Parameters:
    ///   - value: The value to describe.
    ///   - maximumElements: The maximum number of elements that are written of each collection; the rest is counted.
    ///     Negative numbers count as zero.
    /// - Complexity: O(*n*), where *n* is the size of the output, plus the cost of sorting dictionaries and sets by all
    ///   of their keys and elements. An element is described once, and copied for each set and key around it.
    public init(redacting value: Any, maximumElements: Int = 32) {
        self = ValueDescription(of: value, maximumElements: maximumElements).line
    }
}

/// A description of a value in one line of plain text; see `String.init(redacting:maximumElements:)`.
@usableFromInline
package struct ValueDescription: Sendable, Equatable, CustomStringConvertible {
    /// The description in one line.
    @usableFromInline package let line: String

    /// Creates a description of a value.
    @usableFromInline
    package init(of value: Any, maximumElements: Int = 32) {
        line = Self.withoutDot(Self.line(of: value, in: ValueContext(maximumElements: maximumElements)))
    }

    /// Removes the leading dot of a case, which belongs where a type is expected, not at the start of a line.
    static func withoutDot(_ text: String) -> String {
        text.hasPrefix(".") ? String(text.dropFirst()) : text
    }

    /// The description in one line.
    @usableFromInline package var description: String { line }

    /// Returns the text of a value within a sentence: `String(describing:)` without ``Redactable`` values.
    ///
    /// The description of a type that describes itself is used unchanged, even over several lines; a string has no
    /// quotation marks.
    package static func text(of value: Any) -> String {
        ValueShape.describesItself(value) ? String(describing: value) : ValueDescription(of: value).line
    }

    /// Returns a value in one line.
    static func line(of value: Any, in context: ValueContext) -> String {
        var line = ""
        write(value, in: context, to: &line)
        return line
    }

    private static func write(_ value: Any, in context: ValueContext, to line: inout String) {
        let shape = ValueShape(of: value, in: context)
        if let text = shape.text { return line += text }
        line += shape.opening
        let members = shape.members.prefix(shape.kind == .record ? .max : context.maximumElements)
        for (index, member) in members.enumerated() {
            // Counting characters reads each of them, so they are counted only if there may be enough.
            if line.utf8.count > context.maximumLength, line.count > context.maximumLength { return }
            if index > 0 { line += ", " }
            if shape.kind != .list, let label = member.label { line += "\(label): " }
            if let text = member.text {
                line += text
            } else {
                write(member.value, in: context.with(member.contents), to: &line)
            }
        }
        if members.count < shape.members.count {
            line += "\(members.isEmpty ? "" : ", ")… (\(shape.members.count - members.count) more)"
        }
        line += shape.closing
    }
}

/// A value that logs, differences, traces and errors must not show, wherever it occurs: in an action, a state, an error
/// or the identity of an effect.
///
/// ```swift
/// struct Password: Redactable { let text: String }
/// // signIn(user: "ada", password: <redacted>)
/// ```
///
/// `String(redacting:)` and printed changes show ``redacted`` instead of the value. So do the descriptions of
/// ``StoreFailure``, ``MissingChild`` and ``EffectID``, and the loggers and traces of the module
/// `ActorStoreInstruments`.
///
/// A handwritten description of a type is used unchanged, whatever it shows. The exceptions are types of the standard
/// library, such as `Range`, `AnyHashable` and `EncodingError`, whose descriptions show all of their contents: if any
/// content is redactable, they are written like types without a description; otherwise their own description is used.
/// Values that are already text are not detected, such as the `debugDescription` in the context of an `EncodingError`.
/// The traps of `TreeDictionary` and `KeyedArray` do not print keys and identities.
public protocol Redactable {
    /// The text to show instead of the value.
    ///
    /// The default is `<redacted>`. Implement it to show a part of the value, such as the last digits of a number.
    var redacted: String { get }
}

extension Redactable {
    /// The default text, `<redacted>`, which shows only that something was left out.
    public var redacted: String { "<redacted>" }
}
