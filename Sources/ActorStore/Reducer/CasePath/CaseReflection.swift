import Synchronization

/// Finds the value that a closure has embedded in an enum, from what the standard library shows of the enum.
///
/// A value is looked for in the cases and tuples of a root, also further inside, because a closure may embed it in more
/// than a bare case: `{ .list(.row(id: 7, $0)) }`. What is found there is embedded again, and counts if the result is
/// the same as the root.
final class CaseReflection<Root, Value>: Sendable {
    private let embed: @Sendable (Value) -> Root
    /// Whether a mirror shows what is in a root.
    private let looksInside: Bool
    /// Where in a root a value was found first.
    private let known = LazyReference<KnownPlace>()

    init(looksInside: Bool, embed: @escaping @Sendable (Value) -> Root) {
        self.looksInside = looksInside
        self.embed = embed
    }

    /// The value of which a root was made; nil if it was made of none.
    func value(of root: Root) -> Value? {
        // What is embedded in its own type can be the root itself: `{ $0 }`.
        if Root.self == Value.self, let value = root as? Value, isEmbedded(value, in: root) { return value }
        guard looksInside, let reflected = ReflectedCase(Mirror(reflecting: root)) else { return nil }
        let known = known.load()
        if let known {
            guard reflected.identity.name == known.name else { return nil }
            if let value = value(in: reflected, at: known.steps), isEmbedded(value, in: root) { return value }
        }
        var found: Value?
        _ = ReflectionStep.visitParts(of: root) { part, steps in
            guard steps != known?.steps, let value = part as? Value, isEmbedded(value, in: root, at: steps) else {
                return false
            }
            if known == nil { _ = self.known.storeIfNil(KnownPlace(name: reflected.identity.name, steps: steps)) }
            found = value
            return true
        }
        return found
    }

    /// The value where one was found before.
    private func value(in root: ReflectedCase, at steps: [ReflectionStep]) -> Value? {
        guard steps.first == .payload(root.identity) else { return nil }
        if steps.count == 1, root.identity.type == Value.self { return root.payload as? Value }
        // The part itself: the optional around it would be a value of a protocol type, too.
        guard let part = ReflectionStep.part(of: root.content, at: steps.dropFirst()) else { return nil }
        return part as? Value
    }

    /// Whether a root is what a value is embedded in.
    ///
    /// - Parameter steps: Where the value was found, if that may be another place than the one that it is embedded at.
    private func isEmbedded(_ value: Value, in root: Root, at steps: [ReflectionStep] = []) -> Bool {
        let embedded = embed(value)
        if ReflectedEquality.haveSameBytes(embedded, root) { return true }
        guard looksInside else { return ValueComparison.areEqual(embedded, root) == true }
        guard ReflectionStep.part(of: embedded, at: steps) != nil else { return false }
        var equality = ReflectedEquality()
        return equality.areSame(embedded, root)
    }
}

/// Where in the roots of a path its values are.
private final class KnownPlace: Sendable {
    /// The name of the outermost case.
    let name: String
    let steps: [ReflectionStep]

    init(name: String, steps: [ReflectionStep]) {
        self.name = name
        self.steps = steps
    }
}

/// What one case is told from another one by.
private struct CaseIdentity: Equatable {
    let name: String
    /// The type of the values, with labels, which are part of a case's name.
    let type: Any.Type

    static func == (left: CaseIdentity, right: CaseIdentity) -> Bool {
        left.name == right.name && left.type == right.type
    }
}

/// A case with its values, as a mirror shows them.
private struct ReflectedCase {
    let identity: CaseIdentity
    /// The values as the mirror shows them: one, or a tuple.
    let payload: Any

    init?(_ mirror: Mirror) {
        guard mirror.displayStyle == .enum || mirror.displayStyle == .optional, let child = mirror.children.first else {
            return nil
        }
        identity = CaseIdentity(name: child.label ?? "", type: type(of: child.value))
        payload = child.value
    }

    /// The values: one, or a tuple. A single value with a label is shown as a tuple of one, of which there are none in
    /// the language.
    var content: Any {
        let tuple = Mirror(reflecting: payload)
        guard tuple.displayStyle == .tuple, tuple.children.count == 1 else { return payload }
        return tuple.children.first?.value ?? payload
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

    /// What steps lead to in a value; nil if there is nothing.
    static func part(of value: Any, at steps: some Sequence<ReflectionStep>) -> Any? {
        var value = value
        for step in steps {
            guard let next = parts(of: value).first(where: { $0.step == step }) else { return nil }
            value = next.part
        }
        return value
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

/// Tells whether two values are the same: equal where they can be compared, and otherwise the same in all their parts.
///
/// Unlike ``ValueDifference`` it sees what is ``Redactable``, and what a description does not say; and a not-a-number is
/// the same as itself.
struct ReflectedEquality {
    /// The pairs of objects that were begun to be compared, which may lead to each other.
    private var begun: Set<[ObjectIdentifier]> = []
    /// How deep what is being compared lies.
    private var depth = 0
    /// What lies deeper counts as different, so that no list of nodes overflows the stack.
    private static let maximumDepth = 64

    /// - Complexity: O(*n*), with *n* parts of values that cannot be compared.
    mutating func areSame(_ left: Any, _ right: Any) -> Bool {
        guard type(of: left) == type(of: right) else { return false }
        func haveSameBytes<Value>(_ left: Value) -> Bool {
            (right as? Value).map { Self.haveSameBytes(left, $0) } == true
        }
        if _openExistential(left, do: haveSameBytes) { return true }
        if let areEqual = ValueComparison.areEqual(left, right) {
            // What is not equal to itself has a not-a-number in it.
            guard !areEqual, ValueComparison.areEqual(left, left) == false else { return areEqual }
        }
        if type(of: left) is any AnyObject.Type {
            let pair = [ObjectIdentifier(left as AnyObject), ObjectIdentifier(right as AnyObject)]
            guard begun.insert(pair).inserted else { return true }
        }
        let (leftMirror, rightMirror) = (Mirror(reflecting: left), Mirror(reflecting: right))
        if leftMirror.isEmpty, rightMirror.isEmpty {
            // A case without values. Of anything else nothing is seen that could be the same.
            return leftMirror.displayStyle == .enum && Reflection.isPlainlyNamed(type(of: left))
                && String(describing: left) == String(describing: right)
        }
        guard depth < Self.maximumDepth else { return false }
        depth += 1
        defer { depth -= 1 }
        return haveSameParts(leftMirror, rightMirror)
    }

    private mutating func haveSameParts(_ left: Mirror, _ right: Mirror) -> Bool {
        guard left.children.count == right.children.count else { return false }
        if left.displayStyle == .dictionary { return haveSameEntries(left, right) }
        for (left, right) in zip(left.children, right.children) {
            guard left.label == right.label, areSame(left.value, right.value) else { return false }
        }
        guard let left = left.superclassMirror, let right = right.superclassMirror else { return true }
        return haveSameParts(left, right)
    }

    /// Whether two dictionaries have the same values for the same keys, in whatever order they are shown.
    private mutating func haveSameEntries(_ left: Mirror, _ right: Mirror) -> Bool {
        func entries(_ mirror: Mirror) -> [AnyHashable: Any] {
            let pairs = mirror.children.compactMap { entry -> (AnyHashable, Any)? in
                guard let (key, value) = entry.value as? (AnyHashable, Any) else { return nil }
                return (key, value)
            }
            return Dictionary(pairs) { first, _ in first }
        }
        let (left, right) = (entries(left), entries(right))
        for (key, value) in left {
            guard let other = right[key], areSame(value, other) else { return false }
        }
        return true
    }

    /// Whether two values have the same bytes: then they are the same, whatever they are. Nothing follows from other
    /// bytes, as of what is indirect, or of what lies between the parts of a value.
    static func haveSameBytes<Value>(_ left: Value, _ right: Value) -> Bool {
        withUnsafeBytes(of: left) { left in
            withUnsafeBytes(of: right) { right in left.elementsEqual(right) }
        }
    }
}

extension Mirror {
    /// Whether nothing is seen of the value.
    fileprivate var isEmpty: Bool { children.isEmpty && superclassMirror?.isEmpty != false }
}

/// What of an enum the standard library tells, and where that is not the truth.
@usableFromInline
enum Reflection {
    /// Finds what `embed` has made, where that can be found out by reflection; elsewhere nothing.
    @usableFromInline
    static func extraction<Root, Value>(
        of embed: @escaping @Sendable (Value) -> Root
    ) -> @Sendable (Root) -> Value? {
        let reflection = CaseReflection(looksInside: obstacle(Root.self, Value.self) == nil, embed: embed)
        return { reflection.value(of: $0) }
    }

    /// Finds what `embed` has made with a key, where that can be found out by reflection; elsewhere nothing.
    ///
    /// - Returns: A closure that makes, for each key, one that finds the action.
    @usableFromInline
    static func entryExtraction<Root, Key: Hashable & Sendable, Value>(
        of embed: @escaping @Sendable (Key, Value) -> Root
    ) -> @Sendable (Key) -> @Sendable (Root) -> Value? {
        // Whatever the key, where a case has nothing but both. Without labels, so that it may have any.
        let entry = extraction { (entry: (Key, Value)) in embed(entry.0, entry.1) }
        return { key in
            let extract = extraction { embed(key, $0) }
            return { root in
                if let (other, action) = entry(root) { return other == key ? action : nil }
                return extract(root)
            }
        }
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
    static func isPlainlyNamed(_ root: Any.Type) -> Bool {
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
