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

    /// - Returns: nil if the child has not been looked into: an object is looked into when it is described itself.
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
