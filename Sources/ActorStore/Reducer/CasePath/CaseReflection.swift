import Synchronization

/// Finds the values of a case, from what the standard library tells of an enum.
final class CaseReflection<Root, Value>: Sendable {
    private let embed: @Sendable (Value) -> Root
    /// Which case it is; known as soon as a value of it has been found.
    private let known = LazyReference<KnownCase>()

    init(embed: @escaping @Sendable (Value) -> Root) { self.embed = embed }

    /// The value of a root that is of the case.
    func value(of root: Root) -> Value? {
        guard let candidate = ReflectedCase(root) else { return nil }
        if let known = known.load()?.identity {
            guard candidate.identity.name == known.name else { return nil }
            if candidate.identity.type == known.type { return candidate.value(as: Value.self) }
            // Another case of that name, with other labels; or the value is of a protocol type.
        }
        guard let value = candidate.value(as: Value.self) else { return nil }
        // Any case with values of this type would have come so far. Only this one is what the value is embedded in.
        guard let again = ReflectedCase(embed(value)), again.identity == candidate.identity else { return nil }
        if known.load() == nil { _ = known.storeIfNil(KnownCase(candidate.identity)) }
        return value
    }
}

/// What one case is told from another one by.
private struct CaseIdentity: Equatable {
    let name: String?
    /// The type of the values, with labels, which are part of a case's name.
    let type: Any.Type

    static func == (left: CaseIdentity, right: CaseIdentity) -> Bool {
        left.name == right.name && left.type == right.type
    }
}

/// A case that has been found out.
private final class KnownCase: Sendable {
    let identity: CaseIdentity

    init(_ identity: CaseIdentity) { self.identity = identity }
}

/// A case with its values, as a mirror shows them.
private struct ReflectedCase {
    let identity: CaseIdentity
    /// The values: one, or a tuple.
    private let content: Any

    init?<Root>(_ root: Root) {
        let mirror = Mirror(reflecting: root)
        guard mirror.displayStyle == .enum || mirror.displayStyle == .optional else { return nil }
        let children = mirror.children
        guard !children.isEmpty else { return nil }
        let child = children[children.startIndex]
        content = child.value
        identity = CaseIdentity(name: child.label, type: type(of: child.value))
    }

    func value<Value>(as type: Value.Type) -> Value? {
        if identity.type == type { return content as? Value }
        // A single value with a label is shown as a tuple of one, of which there are none in the language.
        let tuple = Mirror(reflecting: content)
        guard tuple.displayStyle == .tuple, tuple.children.count == 1 else { return content as? Value }
        return tuple.children[tuple.children.startIndex].value as? Value
    }
}
