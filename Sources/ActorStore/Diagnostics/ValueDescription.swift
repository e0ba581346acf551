extension String {
    /// A value in one line of plain text, without what is ``Redactable``: an action in a log.
    ///
    /// ```swift
    /// String(redacting: Shop.Action.order(item: 7, quantity: 2))    // order(item: 7, quantity: 2)
    /// ```
    ///
    /// A case is written with its label and payload, a structure with its type's name and properties, dictionaries and
    /// sets in order, and an object as its type's name, because what is in it may be changed meanwhile. A type that
    /// conforms to `CustomDebugStringConvertible` or `CustomStringConvertible` is shown by its own description; what is
    /// ``Redactable`` is left out, also if it is in a type of the standard library that describes itself.
    ///
    /// - Parameters:
    ///   - value: Any value.
    ///   - maximumElements: How many elements of each collection are written; the rest is counted. Less than zero
    ///     counts as zero.
    /// - Complexity: O(*n*), where *n* is the size of what is written, except that dictionaries and sets are sorted, by
    ///   all of their keys and elements. An element is described once, and copied for each set and key around it.
    public init(redacting value: Any, maximumElements: Int = 32) {
        self = ValueDescription(of: value, maximumElements: maximumElements).line
    }
}

/// A value in one line of plain text; see `String.init(redacting:maximumElements:)`.
@usableFromInline
package struct ValueDescription: Sendable, Equatable, CustomStringConvertible {
    /// The value in one line.
    @usableFromInline package let line: String

    /// Describes a value.
    @usableFromInline
    package init(of value: Any, maximumElements: Int = 32) {
        line = Self.withoutDot(Self.line(of: value, in: ValueContext(maximumElements: maximumElements)))
    }

    /// The dot of a case belongs where a type is expected, not at the beginning of a line.
    static func withoutDot(_ text: String) -> String {
        text.hasPrefix(".") ? String(text.dropFirst()) : text
    }

    /// The value in one line.
    @usableFromInline package var description: String { line }

    /// A value as a part of a sentence: what `String(describing:)` says, without what is ``Redactable``.
    ///
    /// A type that describes itself is taken as it is, also over several lines; a string has no quotation marks.
    package static func text(of value: Any) -> String {
        ValueShape.describesItself(value) ? String(describing: value) : ValueDescription(of: value).line
    }

    /// The value in one line.
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
            // Characters are counted when there may be enough of them, because that takes looking at each.
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

/// A value that logs, differences, traces and errors must not show, wherever it stands: in an action, a state, an error
/// or the identity of an effect.
///
/// ```swift
/// struct Password: Redactable { let text: String }
/// // signIn(user: "ada", password: <redacted>)
/// ```
///
/// `String(redacting:)` and what is printed of changes show ``redacted`` in place of it, and with them the descriptions
/// of ``StoreFailure``, ``MissingChild`` and ``EffectID``, and the loggers and traces of the module
/// `ActorStoreInstruments`.
///
/// A description that a type writes by hand is taken as it is, with whatever it shows. Types of the standard library
/// are the exception, such as `Range`, `AnyHashable` and `EncodingError`, which show everything that is in them: if any
/// of that is redactable, they are shown by their contents like types without a description, otherwise in their own
/// words. What has already been made text is not recognised, such as the `debugDescription` in the context of an
/// `EncodingError`. The traps of `TreeDictionary` and `KeyedArray` name no keys and identities.
public protocol Redactable {
    /// What may be shown; `<redacted>` unless the type says something else, such as the last digits of a number.
    var redacted: String { get }
}

extension Redactable {
    /// Nothing but that something was left out.
    public var redacted: String { "<redacted>" }
}
