/// Whose own description counts.
///
/// Types of the standard library describe themselves with all that is in them, and know nothing of ``Redactable``: a range
/// its bounds, an `EncodingError` the value that could not be encoded.
extension ValueShape {
    /// Whether a value has a description of its own that says more than what its members say, and shows nothing that is
    /// redactable.
    static func describesItself(_ value: Any) -> Bool {
        !(value is any Redactable) && describesItself(value, mirror(of: value))
    }

    static func describesItself(_ value: Any, _ mirror: Mirror) -> Bool {
        guard hasOwnDescription(value, mirror) else { return false }
        return !isOfStandardLibrary(value) || !mirror.children.contains { showsRedactable($0.value) }
    }

    /// The mirror of a value, in which everything is seen that its description shows.
    static func mirror(of value: Any) -> Mirror {
        (value as? any OpaqueContents)?.contents ?? Mirror(reflecting: value)
    }

    private static func hasOwnDescription(_ value: Any, _ mirror: Mirror) -> Bool {
        switch mirror.displayStyle {
        // They are always shown by what is in them.
        case .optional, .collection, .set, .dictionary, .tuple: false
        default: value is any CustomStringConvertible || value is any CustomDebugStringConvertible
        }
    }

    private static func isOfStandardLibrary(_ value: Any) -> Bool {
        String(reflecting: type(of: value)).hasPrefix("Swift.")
    }

    /// Whether something redactable is shown when the standard library describes what a value is in.
    ///
    /// - Complexity: O(*n*), with *n* values in it, like the description.
    private static func showsRedactable(_ value: Any) -> Bool {
        if value is any Redactable { return true }
        // An object is described by its type alone, unless it describes itself.
        if type(of: value) is any AnyObject.Type { return false }
        let mirror = mirror(of: value)
        if hasOwnDescription(value, mirror), !isOfStandardLibrary(value) { return false }
        return mirror.children.contains { showsRedactable($0.value) }
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
