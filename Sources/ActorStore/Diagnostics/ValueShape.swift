/// One level of a value's structure: its own text, and the values that it contains.
struct ValueShape {
    /// How the members of a value are identified.
    enum Kind {
        /// By position: the properties of a structure or class, the parts of a tuple or of a case's payload.
        case record
        /// By order.
        case list
        /// By key.
        case table
        /// By nothing but their value.
        case set
    }

    struct Member {
        let label: String?
        let value: Any
        /// The member in one line, if its set has been sorted by that.
        ///
        /// It is kept because describing it again at each level would double the cost with every set around it.
        var text: String?
        /// The key of a dictionary's entry; the label is its description.
        var key: Any?
        /// Which parts of the value are redactable, if known.
        var contents: RedactableContents?
    }

    let kind: Kind
    /// The text before the members, or the whole text if there are no members.
    let opening: String
    let closing: String
    let members: [Member]
    /// Whether the text replaces something that must not be shown.
    private(set) var isRedacted = false

    /// The whole text, if there are no members.
    var text: String? {
        guard members.isEmpty else { return nil }
        return kind == .table ? "[:]" : opening + closing
    }

    /// Returns whether two versions differ at most in their members.
    func isAlike(_ other: ValueShape) -> Bool {
        if let text, let otherText = other.text { return text == otherText }
        return kind == other.kind && opening == other.opening && closing == other.closing
    }

    private init(_ kind: Kind, _ opening: String, _ closing: String, _ members: [Member]) {
        self.kind = kind
        self.opening = opening
        self.closing = closing
        self.members = members
    }

    private init(text: String) {
        let isMultiline = text.utf8.contains { $0 == UInt8(ascii: "\n") || $0 == UInt8(ascii: "\r") }
        self.init(.record, isMultiline ? Self.inOneLine(text) : text, "", [])
    }

    /// Escapes line breaks, scalar by scalar, because a CRLF is one character.
    private static func inOneLine(_ text: String) -> String {
        var line = ""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\n": line += "\\n"
            case "\r": line += "\\r"
            default: line.unicodeScalars.append(scalar)
            }
        }
        return line
    }

    /// Returns the content of an optional if it has one, and otherwise the value.
    static func unwrapped(_ value: Any) -> Any {
        guard let optional = value as? any AnyOptional, let content = optional.content else { return value }
        return unwrapped(content)
    }

    /// - Parameters:
    ///   - value: The value.
    ///   - isDescribed: Whether a handwritten description of the type is used.
    ///   - context: The context in which keys and members of sets are described.
    init(of value: Any, isDescribed: Bool = true, in context: ValueContext) {
        // The most frequent types, for which a mirror would take a microsecond.
        switch value {
        case let value as Int: self.init(text: "\(value)")
        case let value as Bool: self.init(text: "\(value)")
        case let value as Double: self.init(text: "\(value)")
        case let value as String: self.init(text: value.debugDescription)
        default: self.init(mirroring: value, isDescribed, context)
        }
    }

    private init(mirroring value: Any, _ isDescribed: Bool, _ context: ValueContext) {
        if let value = value as? any Redactable {
            self.init(text: value.redacted)
            isRedacted = true
            return
        }
        if let text = value as? any StringProtocol {
            self.init(text: String(text).debugDescription)
            return
        }
        // The contents of an object are not read, because other threads may be changing them.
        if type(of: value) is any AnyObject.Type {
            let type = "\(type(of: value))"
            self.init(text: isDescribed ? Self.description(of: value) ?? type : type)
            return
        }
        let mirror = Self.mirror(of: value)
        let contents = context.contents ?? Self.contents(of: value, mirror)
        switch mirror.displayStyle {
        case .optional:
            guard let some = mirror.children.first else {
                self.init(text: "nil")
                return
            }
            self.init(of: some.value, isDescribed: isDescribed, in: context.with(contents?.child(0)))
        case .collection:
            let members = mirror.children.enumerated().map {
                Member(label: "[\($0)]", value: $1.value, contents: contents?.child($0))
            }
            self.init(.list, "[", "]", members)
        case .set:
            let members = mirror.children.enumerated().map { index, child in
                let text = ValueDescription.line(of: child.value, in: context.with(contents?.child(index)))
                return Member(label: nil, value: child.value, text: text)
            }
            let sorted = members.sorted { Self.comesFirst($0.text ?? "", $1.text ?? "") }
            self.init(.set, "[", "]", sorted)
        case .dictionary:
            let members = mirror.children.enumerated().map {
                Self.entry($1.value, in: context.with(contents?.child($0)))
            }
            let sorted = members.sorted { Self.comesFirst($0.label ?? "", $1.label ?? "") }
            self.init(.table, "[", "]", sorted)
        case .tuple:
            self.init(.record, "(", ")", Self.parts(mirror, contents))
        default:
            if isDescribed, Self.describesItself(value, mirror, contents), let text = Self.description(of: value) {
                self.init(text: text)
            } else if mirror.displayStyle == .enum {
                self.init(enumeration: value, mirror, contents)
            } else {
                self.init(record: value, mirror, contents)
            }
        }
    }

    private init(enumeration value: Any, _ mirror: Mirror, _ contents: RedactableContents?) {
        guard let payload = mirror.children.first, let name = payload.label else {
            self.init(text: Self.description(of: value) ?? ".\(value)")
            return
        }
        let parts = Mirror(reflecting: payload.value)
        let members =
            parts.displayStyle == .tuple
            ? Self.parts(parts, contents?.child(0))
            : [Member(label: nil, value: payload.value, contents: contents?.child(0))]
        self.init(.record, ".\(name)(", ")", members)
    }

    private init(record value: Any, _ mirror: Mirror, _ contents: RedactableContents?) {
        let members = Self.parts(mirror, contents)
        if mirror.displayStyle == nil && members.isEmpty {
            self.init(text: String(describing: value))
        } else {
            self.init(.record, "\(mirror.subjectType)(", ")", members)
        }
    }

    private static func description(of value: Any) -> String? {
        if let value = value as? any CustomDebugStringConvertible { return value.debugDescription }
        if let value = value as? any CustomStringConvertible { return value.description }
        return nil
    }

    private static func parts(_ mirror: Mirror, _ contents: RedactableContents?) -> [Member] {
        mirror.children.enumerated().map { index, part in
            // The unnamed parts of a tuple are labelled ".0" and so on.
            let label = part.label?.hasPrefix(".") == true ? nil : part.label
            return Member(label: label, value: part.value, contents: contents?.child(index))
        }
    }

    private static func entry(_ pair: Any, in context: ValueContext) -> Member {
        let parts = Array(Mirror(reflecting: pair).children)
        let contents = context.contents
        guard parts.count == 2 else { return Member(label: nil, value: pair, contents: contents) }
        let key = parts[0].value
        let text = ValueDescription.line(of: key, in: context.with(contents?.child(0)))
        let label = ValueDescription.withoutDot(text)
        return Member(label: label, value: parts[1].value, key: key, contents: contents?.child(1))
    }

    /// Sorts numbers by value, and everything else after them by text.
    private static func comesFirst(_ left: String, _ right: String) -> Bool {
        switch (Int(left), Int(right)) {
        case (let first?, let second?) where first != second: first < second
        case (.some, nil): true
        case (nil, .some): false
        // By bytes: of strings with differently composed characters, such as "éé" and "éé1", sometimes neither precedes
        // the other.
        default: left.utf8.lexicographicallyPrecedes(right.utf8)
        }
    }
}

/// An optional of any type.
protocol AnyOptional {
    /// The content of the optional.
    var content: Any? { get }
}

extension Optional: AnyOptional {
    var content: Any? { self }
}

/// Decides when the own description of a type is used.
///
/// The descriptions of the standard library show all contents, and ignore ``Redactable``: a range shows its bounds, an
/// `EncodingError` the value that could not be encoded.
extension ValueShape {
    /// Returns whether the description of a value says more than its members do, and shows nothing redactable.
    static func describesItself(_ value: Any) -> Bool {
        guard !(value is any Redactable) else { return false }
        let mirror = mirror(of: value)
        return describesItself(value, mirror, contents(of: value, mirror))
    }

    static func describesItself(_ value: Any, _ mirror: Mirror, _ contents: RedactableContents?) -> Bool {
        hasOwnDescription(value, mirror) && contents?.isShownByChildren != true
    }

    /// - Returns: The redactable contents; nil if the description of the value is not the standard library's.
    static func contents(of value: Any, _ mirror: Mirror) -> RedactableContents? {
        guard hasOwnDescription(value, mirror), isOfStandardLibrary(value) else { return nil }
        return RedactableContents(mirror)
    }

    /// Returns a mirror of a value that shows everything the description of the value shows.
    static func mirror(of value: Any) -> Mirror {
        (value as? any OpaqueContents)?.contents ?? Mirror(reflecting: value)
    }

    fileprivate static func hasOwnDescription(_ value: Any, _ mirror: Mirror) -> Bool {
        switch mirror.displayStyle {
        // These are always shown by their contents.
        case .optional, .collection, .set, .dictionary, .tuple: false
        default: value is any CustomStringConvertible || value is any CustomDebugStringConvertible
        }
    }

    fileprivate static func isOfStandardLibrary(_ value: Any) -> Bool {
        String(reflecting: type(of: value)).hasPrefix("Swift.")
    }
}

/// Which contents of a value are redactable and shown by a description of the standard library.
///
/// They are found once for all contents of a value, and passed on with the members: a new search at each level would
/// cost the square of the nesting depth of standard library types.
struct RedactableContents {
    private let isShown: Bool
    /// The contents of each child of the mirror; empty where the description of the standard library goes no deeper.
    private let children: [RedactableContents]

    /// Whether one of the children contains something redactable.
    var isShownByChildren: Bool { children.contains(where: \.isShown) }

    /// - Returns: The contents of a child; nil if they have not been searched, which objects never are.
    func child(_ index: Int) -> RedactableContents? {
        guard children.indices.contains(index), !children[index].children.isEmpty else { return nil }
        return children[index]
    }
}

extension RedactableContents {
    /// - Complexity: O(*n*), where *n* is the number of values in the mirror, like the description.
    init(_ mirror: Mirror) {
        let children = mirror.children.map { RedactableContents(of: $0.value) }
        self.init(isShown: children.contains(where: \.isShown), children: children)
    }

    private init(of value: Any) {
        let isRedactable = value is any Redactable
        // An object is described by its type alone, unless it describes itself.
        guard !isRedactable, !(type(of: value) is any AnyObject.Type) else {
            self.init(isShown: isRedactable, children: [])
            return
        }
        let mirror = ValueShape.mirror(of: value)
        if ValueShape.hasOwnDescription(value, mirror), !ValueShape.isOfStandardLibrary(value) {
            self.init(isShown: false, children: [])
        } else {
            self.init(mirror)
        }
    }
}

/// A collection of the standard library whose mirror is empty.
private protocol OpaqueContents {
    var contents: Mirror { get }
}

extension Dictionary.Keys: OpaqueContents {
    /// A set, because the keys have no order.
    fileprivate var contents: Mirror { Mirror(self, unlabeledChildren: self, displayStyle: .set) }
}

extension Dictionary.Values: OpaqueContents {
    fileprivate var contents: Mirror { Mirror(self, unlabeledChildren: self, displayStyle: .set) }
}

/// What is known of a value before it is described: its contents, and how much of it is written.
struct ValueContext {
    /// The maximum number of elements that are written of each collection.
    let maximumElements: Int
    /// The number of characters after which a line may be cut off, if the value has members.
    var maximumLength = Int.max
    /// The redactable contents of the value; nil if unknown.
    private(set) var contents: RedactableContents?

    init(maximumElements: Int) {
        self.maximumElements = max(0, maximumElements)
    }

    /// Returns the context of a value with these contents.
    func with(_ contents: RedactableContents?) -> ValueContext {
        var context = self
        context.contents = contents
        return context
    }
}
