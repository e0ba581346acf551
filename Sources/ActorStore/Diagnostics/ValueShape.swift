/// One level of a value's structure: what it shows of itself, and the values in it.
struct ValueShape {
    /// How the members of a value are told apart.
    enum Kind {
        /// By their place: the properties of a structure or class, the parts of a tuple or of a case's payload.
        case record
        /// By their order.
        case list
        /// By their keys.
        case table
        /// Not at all.
        case set
    }

    struct Member {
        let label: String?
        let value: Any
        /// The value in one line, if its set has sorted it by that.
        ///
        /// It is kept, because a second description at each level would double the cost with every set around it.
        var text: String?
        /// The key of a dictionary's entry, of which the label is the description.
        var key: Any?
        /// What is known of redactable values in the value.
        var contents: RedactableContents?
    }

    let kind: Kind
    /// The text before the members, or all there is.
    let opening: String
    let closing: String
    let members: [Member]
    /// Whether the text stands for something that must not be shown.
    private(set) var isRedacted = false

    /// All there is to be seen, if there are no members.
    var text: String? {
        guard members.isEmpty else { return nil }
        return kind == .table ? "[:]" : opening + closing
    }

    /// Whether two versions differ in their members alone, if at all.
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

    /// Spells line ends out, one scalar after the other, because the two of a CRLF are one character.
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

    /// What is in an optional, if anything is.
    static func unwrapped(_ value: Any) -> Any {
        guard let optional = value as? any AnyOptional, let content = optional.content else { return value }
        return unwrapped(content)
    }

    /// - Parameters:
    ///   - value: The value.
    ///   - isDescribed: Whether a description that its type has written by hand counts.
    ///   - context: That of what is in the value: keys and the members of sets are described in it.
    init(of value: Any, isDescribed: Bool = true, in context: ValueContext) {
        // What is met most, and what a mirror would take a microsecond to find out.
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
        // What is in an object is not looked at, because others may be changing it.
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
            // The parts of a tuple that have no names are labelled ".0" and so on.
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

    /// Sorts numbers by value, and everything else behind them by text.
    private static func comesFirst(_ left: String, _ right: String) -> Bool {
        switch (Int(left), Int(right)) {
        case (let first?, let second?) where first != second: first < second
        case (.some, nil): true
        case (nil, .some): false
        // By bytes: of strings whose letters are composed in different ways, as "éé" and "éé1" can be, sometimes
        // neither comes before the other.
        default: left.utf8.lexicographicallyPrecedes(right.utf8)
        }
    }
}

/// An optional of any type.
protocol AnyOptional {
    /// What is in it.
    var content: Any? { get }
}

extension Optional: AnyOptional {
    var content: Any? { self }
}

/// Whose own description counts.
///
/// Types of the standard library describe themselves with all that is in them, and know nothing of ``Redactable``: a
/// range its bounds, an `EncodingError` the value that could not be encoded.
extension ValueShape {
    /// Whether a value has a description of its own that says more than what its members say, and shows nothing that is
    /// redactable.
    static func describesItself(_ value: Any) -> Bool {
        guard !(value is any Redactable) else { return false }
        let mirror = mirror(of: value)
        return describesItself(value, mirror, contents(of: value, mirror))
    }

    static func describesItself(_ value: Any, _ mirror: Mirror, _ contents: RedactableContents?) -> Bool {
        hasOwnDescription(value, mirror) && contents?.isShownByChildren != true
    }

    /// - Returns: nil if the value is not described by the standard library.
    static func contents(of value: Any, _ mirror: Mirror) -> RedactableContents? {
        guard hasOwnDescription(value, mirror), isOfStandardLibrary(value) else { return nil }
        return RedactableContents(mirror)
    }

    /// The mirror of a value, in which everything is seen that its description shows.
    static func mirror(of value: Any) -> Mirror {
        (value as? any OpaqueContents)?.contents ?? Mirror(reflecting: value)
    }

    fileprivate static func hasOwnDescription(_ value: Any, _ mirror: Mirror) -> Bool {
        switch mirror.displayStyle {
        // They are always shown by what is in them.
        case .optional, .collection, .set, .dictionary, .tuple: false
        default: value is any CustomStringConvertible || value is any CustomDebugStringConvertible
        }
    }

    fileprivate static func isOfStandardLibrary(_ value: Any) -> Bool {
        String(reflecting: type(of: value)).hasPrefix("Swift.")
    }
}

/// Where something redactable is shown when the standard library describes a value with all that is in it.
///
/// It is found out once for everything that is in a value, and handed down with the members: to look for it at each
/// level anew would cost the square of how deep the types of the standard library are nested.
struct RedactableContents {
    private let isShown: Bool
    /// What is in each child of the mirror; empty where the description of the standard library goes no deeper.
    private let children: [RedactableContents]

    /// Whether something redactable is in one of the children.
    var isShownByChildren: Bool { children.contains(where: \.isShown) }

    /// - Returns: nil if the child has not been looked into, as no object is.
    func child(_ index: Int) -> RedactableContents? {
        guard children.indices.contains(index), !children[index].children.isEmpty else { return nil }
        return children[index]
    }
}

extension RedactableContents {
    /// - Complexity: O(*n*), with *n* values in it, like the description.
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

/// A collection of the standard library in which its mirror shows nothing.
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

/// What is known of a value before it is described: where it stands, what is in it, and how much of it is written.
struct ValueContext {
    /// How many elements of each collection are written.
    let maximumElements: Int
    /// With how many characters a line may be broken off, if the value has members.
    var maximumLength = Int.max
    /// What is known of redactable values in the value; nil if nothing has been found out.
    private(set) var contents: RedactableContents?

    init(maximumElements: Int) {
        self.maximumElements = max(0, maximumElements)
    }

    /// The same place, for a value of which this much is known.
    func with(_ contents: RedactableContents?) -> ValueContext {
        var context = self
        context.contents = contents
        return context
    }
}
