import Synchronization

/// Finds the value that a closure has embedded in an enum, using the standard library's reflection.
///
/// The search covers the cases and tuples of a root, including nested ones, because a closure may embed the value in
/// more than a bare case: `{ .list(.row(id: 7, $0)) }`. A candidate at some place is embedded again. It is the value if
/// the result equals the root everywhere else, and does not certainly differ at that place.
final class CaseReflection<Root, Value>: Sendable {
    private let embed: @Sendable (Value) -> Root
    /// Whether a mirror shows the contents of a root.
    private let looksInside: Bool
    /// The place at which a value was found first.
    private let known = LazyReference<KnownPlace>()

    init(looksInside: Bool, embed: @escaping @Sendable (Value) -> Root) {
        self.looksInside = looksInside
        self.embed = embed
    }

    /// Returns the value that is embedded in a root; nil if there is no such value.
    func value(of root: Root) -> Value? {
        if Root.self == Value.self { return valueOfItsType(in: root) }
        return looksInside ? innerValue(of: root) : nil
    }

    /// Returns the value where it can be the root itself: `{ $0 }`.
    private func valueOfItsType(in root: Root) -> Value? {
        guard let own = root as? Value else { return nil }
        if ReflectedEquality.haveSameBytes(embed(own), root) { return own }
        guard looksInside else { return ValueComparison.areEqual(embed(own), root) == true ? own : nil }
        if let value = innerValue(of: root) { return value }
        var equality = ReflectedEquality()
        return equality.compare(embed(own), root) == .same ? own : nil
    }

    /// Returns the value somewhere within a root.
    private func innerValue(of root: Root) -> Value? {
        guard let reflected = ReflectedCase(Mirror(reflecting: root)) else { return nil }
        let known = known.load()
        if let known {
            guard reflected.name == known.name else { return nil }
            if let value = value(in: reflected, at: known.steps), isEmbedded(value, in: root, at: known.steps) {
                return value
            }
        }
        var found: Value?
        ReflectionSearch.visitParts(of: reflected) { part, steps in
            guard steps != known?.steps, let value = part as? Value, isEmbedded(value, in: root, at: steps) else {
                return false
            }
            if known == nil { _ = self.known.storeIfNil(KnownPlace(in: reflected.name, at: steps)) }
            found = value
            return true
        }
        return found
    }

    /// Returns the value at the known place.
    private func value(in root: ReflectedCase, at steps: [ReflectionStep]) -> Value? {
        if steps.count == 1, root.type == Value.self { return root.payload as? Value }
        // Uses the part itself: the optional around it would also be a value of a protocol type.
        guard let part = ReflectionStep.part(of: root.content, at: steps.dropFirst()) else { return nil }
        return part as? Value
    }

    /// Returns whether a root is the result of embedding a value, apart from the place where it was found.
    private func isEmbedded(_ value: Value, in root: Root, at steps: [ReflectionStep]) -> Bool {
        let embedded = embed(value)
        if ReflectedEquality.haveSameBytes(embedded, root) { return true }
        var equality = ReflectedEquality()
        return equality.areSame(embedded, root, exceptAt: steps[...])
    }
}

/// The place of the values in the roots of a path.
private final class KnownPlace: Sendable {
    /// The name of the outermost case.
    let name: String
    let steps: [ReflectionStep]

    init(in name: String, at steps: [ReflectionStep]) {
        self.name = name
        self.steps = steps
    }
}

/// A case with its values, as shown by a mirror.
struct ReflectedCase {
    let name: String
    /// The values as the mirror shows them: a single value, or a tuple.
    let payload: Any

    init?(_ mirror: Mirror) {
        guard mirror.displayStyle == .enum || mirror.displayStyle == .optional, let child = mirror.children.first else {
            return nil
        }
        name = child.label ?? ""
        payload = child.value
    }

    /// The type of the values, with labels, which are part of a case's name.
    var type: Any.Type { Swift.type(of: payload) }

    /// The values: a single value, or a tuple. A mirror shows a single value with a label as a tuple of one element,
    /// which does not exist in the language.
    var content: Any {
        let tuple = Mirror(reflecting: payload)
        guard tuple.displayStyle == .tuple, tuple.children.count == 1 else { return payload }
        return tuple.children.first?.value ?? payload
    }
}

/// A step into a value: to the contents of a case, or to a part of a tuple.
enum ReflectionStep: Equatable {
    case payload(String)
    case part(Int)

    /// Returns the part of a value at the end of some steps; nil if there is no such part.
    static func part(of value: Any, at steps: some Sequence<ReflectionStep>) -> Any? {
        var value = value
        for step in steps {
            guard let next = parts(of: value).first(where: { $0.step == step }) else { return nil }
            value = next.part
        }
        return value
    }

    /// Returns the direct parts of a value; an empty array if it has its own mirror.
    static func parts(of value: Any) -> [(step: ReflectionStep, part: Any)] {
        guard Reflection.isFaithful(type(of: value)) else { return [] }
        let mirror = Mirror(reflecting: value)
        if let reflected = ReflectedCase(mirror) { return [(.payload(reflected.name), reflected.content)] }
        guard mirror.displayStyle == .tuple else { return [] }
        return mirror.children.enumerated().map { (.part($0), $1.value) }
    }
}

/// A bounded search for parts of a value: a recursive enum can be of any size.
private enum ReflectionSearch {
    /// The maximum number of parts to visit.
    private static let maximumParts = 128

    /// Calls `body` with the contents of a case and the path to them, from the outside in, until it returns true.
    static func visitParts(of root: ReflectedCase, _ body: (_ part: Any, _ steps: [ReflectionStep]) -> Bool) {
        var parts: [(part: Any, steps: [ReflectionStep])] = [(root.content, [.payload(root.name)])]
        var next = 0
        while next < parts.count {
            let (part, steps) = parts[next]
            if body(part, steps) { return }
            next += 1
            guard parts.count < maximumParts else { continue }
            parts += ReflectionStep.parts(of: part).map { ($0.part, steps + [$0.step]) }
        }
    }
}

/// The standard library's reflection of enums, and the situations in which it is not reliable.
@usableFromInline
enum Reflection {
    /// Returns a closure that finds the value that `embed` has embedded, or nothing where reflection cannot find it.
    @usableFromInline
    static func extraction<Root, Value>(
        of embed: @escaping @Sendable (Value) -> Root
    ) -> @Sendable (Root) -> Value? {
        let reflection = CaseReflection(looksInside: obstacle(Root.self, Value.self) == nil, embed: embed)
        return { reflection.value(of: $0) }
    }

    /// Returns closures that find the value that `embed` has embedded with a key, or nothing where reflection cannot
    /// find it.
    ///
    /// - Returns: A closure that returns, for each key, a closure that finds the action.
    @usableFromInline
    static func entryExtraction<Root, Key: Hashable & Sendable, Value>(
        of embed: @escaping @Sendable (Key, Value) -> Root
    ) -> @Sendable (Key) -> @Sendable (Root) -> Value? {
        // Matches any key, where a case has only the key and the value. Without labels, so that the case may have any.
        let entry = extraction { (entry: (Key, Value)) in embed(entry.0, entry.1) }
        return { key in
            let extract = extraction { embed(key, $0) }
            return { root in
                if let (other, action) = entry(root) { return other == key ? action : nil }
                return extract(root)
            }
        }
    }

    /// Returns why nothing can be found with values of this type; nil if reflection works.
    @usableFromInline
    static func obstacle<Root, Value>(_ root: Root.Type, _ value: Value.Type) -> String? {
        if !isFaithful(root) { return explanation(root) }
        if !isShownCorrectly(value) { return explanation(root, value) }
        return nil
    }

    /// Returns the name of a case without values; nil for other cases, and for types that are not enums.
    static func name<Root>(ofCaseWithoutValues root: Root) -> String? {
        let mirror = Mirror(reflecting: root)
        guard mirror.displayStyle == .enum, mirror.children.isEmpty else { return nil }
        return String(describing: root)
    }

    /// Whether a mirror shows the cases themselves. An optional's mirror comes from the standard library, and does.
    static func isFaithful(_ root: Any.Type) -> Bool {
        !(root is any CustomReflectable.Type) || isOptional(root)
    }

    static func isOptional(_ root: Any.Type) -> Bool { root is any OptionalValue.Type }

    /// Whether the description of a case without values is its name.
    static func isPlainlyNamed(_ root: Any.Type) -> Bool {
        !(root is any CustomStringConvertible.Type) && !(root is any CustomDebugStringConvertible.Type)
            && !(root is any TextOutputStreamable.Type)
    }

    /// Whether a mirror shows values of this type correctly. For a function that is a case's value, or part of it, the
    /// mirror uses another calling convention than the function's, so calling it is undefined. (Swift 6.3.)
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

/// Distinguishes optionals from other enums.
private protocol OptionalValue {}
extension Optional: OptionalValue {}
