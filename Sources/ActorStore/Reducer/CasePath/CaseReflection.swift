import Synchronization

/// Finds the values of a case, from what the standard library tells of an enum.
///
/// Values are also found further inside, in the cases and tuples that a case has as its values, because what embeds
/// them may be more than a bare case: `{ .list(.row(id: 7, $0)) }`.
final class CaseReflection<Root, Value>: Sendable {
    private let embed: @Sendable (Value) -> Root
    /// Which case it is; known as soon as a value of it has been found.
    private let known = LazyReference<KnownCase>()

    init(embed: @escaping @Sendable (Value) -> Root) { self.embed = embed }

    /// The value of a root that is of the case.
    func value(of root: Root) -> Value? {
        guard let candidate = ReflectedCase(root) else { return nil }
        if let known = known.load() {
            guard candidate.identity.name == known.identity.name else { return nil }
            if known.isBare, candidate.identity.type == known.identity.type { return candidate.value(as: Value.self) }
            // Another case of that name, with other labels; or the value is of a protocol type, or further inside.
        }
        // Any case with values of this type would have come so far. Only this one is what the value is embedded in.
        if let value = candidate.value(as: Value.self), ReflectedCase(embed(value))?.identity == candidate.identity {
            remember(candidate.identity, isBare: true)
            return value
        }
        guard let value = innerValue(of: root) else { return nil }
        remember(candidate.identity, isBare: false)
        return value
    }

    private func remember(_ identity: CaseIdentity, isBare: Bool) {
        if known.load() == nil { _ = known.storeIfNil(KnownCase(identity, isBare: isBare)) }
    }

    /// The value somewhere in a root, if the root is what it is embedded in.
    private func innerValue(of root: Root) -> Value? {
        var found: Value?
        _ = ReflectionStep.visitParts(of: root) { part, steps in
            guard let value = part as? Value else { return false }
            let again = embed(value)
            // In the same place; and what else there is in the root is the same, too.
            guard ReflectionStep.leads(steps, into: again),
                ValueComparison(maximumElements: .max).areSame(again, root)
            else { return false }
            found = value
            return true
        }
        return found
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
    /// Whether the value is that of the case, and not further inside.
    let isBare: Bool

    init(_ identity: CaseIdentity, isBare: Bool) {
        self.identity = identity
        self.isBare = isBare
    }
}

/// A case with its values, as a mirror shows them.
private struct ReflectedCase {
    let identity: CaseIdentity
    /// The values: one, or a tuple.
    let content: Any

    init?<Root>(_ root: Root) {
        self.init(Mirror(reflecting: root))
    }

    init?(_ mirror: Mirror) {
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

/// One step into a value: to what is in a case, or to a part of a tuple.
private enum ReflectionStep: Equatable {
    case payload(CaseIdentity)
    case part(Int)

    /// How far is looked into a value; a recursive enum can be of any depth.
    private static let maximumDepth = 8

    /// Calls `body` with what is in a value, and with the way to it, until that returns true.
    ///
    /// - Returns: Whether it has.
    static func visitParts(
        of value: Any,
        at steps: [ReflectionStep] = [],
        _ body: (_ part: Any, _ steps: [ReflectionStep]) -> Bool
    ) -> Bool {
        guard steps.count < maximumDepth else { return false }
        return parts(of: value).contains { step, part in
            let inner = steps + [step]
            return body(part, inner) || visitParts(of: part, at: inner, body)
        }
    }

    /// Whether steps lead to something in a value.
    static func leads(_ steps: [ReflectionStep], into value: Any) -> Bool {
        var value = value
        for step in steps {
            guard let next = parts(of: value).first(where: { $0.step == step }) else { return false }
            value = next.part
        }
        return true
    }

    /// What is right in a value; nothing if its mirror is its own.
    private static func parts(of value: Any) -> [(step: ReflectionStep, part: Any)] {
        guard Reflection.isFaithful(type(of: value)) else { return [] }
        let mirror = Mirror(reflecting: value)
        if let reflected = ReflectedCase(mirror) { return [(.payload(reflected.identity), reflected.content)] }
        guard mirror.displayStyle == .tuple else { return [] }
        return mirror.children.enumerated().map { (.part($0), $1.value) }
    }
}

/// What of an enum the standard library tells, and where that is not the truth.
@usableFromInline
enum Reflection {
    /// Finds what `embed` has made, where that can be found out by reflection; elsewhere nothing.
    @usableFromInline
    static func extraction<Root, Value>(
        of embed: @escaping @Sendable (Value) -> Root
    ) -> @Sendable (Root) -> Value? {
        let reflection = obstacle(Root.self, Value.self) == nil ? CaseReflection(embed: embed) : nil
        guard Root.self == Value.self else { return { reflection?.value(of: $0) } }
        // What is embedded in its own type can be the root itself: `{ $0 }`.
        return { root in
            if let value = root as? Value, isSame(embed(value), as: root) { return value }
            return reflection?.value(of: root)
        }
    }

    /// Whether what was embedded is the root. One that is not equal to itself, as with a NaN in it, counts as that.
    private static func isSame<Root>(_ embedded: Root, as root: Root) -> Bool {
        // What describes itself by a mirror, and cannot be compared, shows nothing to compare.
        guard root is any Equatable || isFaithful(Root.self) else { return false }
        let comparison = ValueComparison(maximumElements: .max)
        return comparison.areSame(embedded, root) || !comparison.areSame(root, root)
    }

    /// Finds the key and the action of which `embed` has made one, where that can be found out by reflection; elsewhere
    /// nothing.
    @usableFromInline
    static func entryExtraction<Root, Key, Value>(
        of embed: @escaping @Sendable (Key, Value) -> Root
    ) -> @Sendable (Root) -> (id: Key, action: Value)? {
        // Without labels, so that the case may have any.
        let extract = extraction { (entry: (Key, Value)) in embed(entry.0, entry.1) }
        return { root in extract(root).map { (id: $0.0, action: $0.1) } }
    }

    /// Why nothing can be found that is made of values of this type; nil if it can be.
    @usableFromInline
    static func obstacle<Root, Value>(_ root: Root.Type, _ value: Value.Type) -> String? {
        if !isFaithful(root) { return explanation(root) }
        if !isShownCorrectly(value) { return explanation(root, value) }
        return nil
    }

    /// The name of a case without values; nil for other cases, and for what is no enum.
    static func name<Root>(ofCaseWithoutValues root: Root) -> String? {
        let mirror = Mirror(reflecting: root)
        guard mirror.displayStyle == .enum, mirror.children.isEmpty else { return nil }
        return String(describing: root)
    }

    /// Whether a mirror shows the cases themselves. That of an optional is the standard library's own, and does.
    static func isFaithful(_ root: Any.Type) -> Bool {
        !(root is any CustomReflectable.Type) || isOptional(root)
    }

    static func isOptional(_ root: Any.Type) -> Bool { root is any OptionalValue.Type }

    /// Whether a description of a case without values is its name.
    static func isPlainlyNamed<Root>(_ root: Root.Type) -> Bool {
        !(root is any CustomStringConvertible.Type) && !(root is any CustomDebugStringConvertible.Type)
            && !(root is any TextOutputStreamable.Type)
    }

    /// Whether a mirror shows values of this type as they are. A function that is a case's value, or part of it, it
    /// shows with a calling convention that is not the function's, so that calling it is undefined. (Swift 6.3.)
    static func isShownCorrectly<Value>(_ value: Value.Type) -> Bool { !String(reflecting: value).contains("->") }

    private static func explanation<Root, Value>(_ root: Root.Type, _ value: Value.Type) -> String {
        """
        Reflection cannot extract a function, as in \(value), from a case of \(root). Create the path with \
        CasePath(embed:extract:).
        """
    }

    static func explanation<Root>(_ root: Root.Type) -> String {
        """
        Reflection cannot find the cases of \(root), because the type describes itself. Create the path with \
        CasePath(embed:extract:).
        """
    }
}

/// Tells optionals from other enums.
private protocol OptionalValue {}
extension Optional: OptionalValue {}
