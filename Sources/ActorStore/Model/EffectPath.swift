/// Whose effect something is, as far as reducers are composed: that of a child, of a child, of the store's reducer.
///
/// Empty for what the store's own reducer asks for; then it costs nothing.
@usableFromInline
package struct EffectPath: Hashable, Sendable {
    /// From the outermost child to the innermost.
    var steps: [EffectStep] = []
    /// How the child is found in the state of its store. It is no part of what a path is equal by.
    var way: [ChildStep] = []

    @usableFromInline
    package init(_ steps: EffectStep..., by step: ChildStep? = nil) {
        self.steps = steps
        if let step { way = [step.at(depth: steps.count)] }
    }

    var isEmpty: Bool { steps.isEmpty }

    /// The same path, to a child that is found by a step.
    package func found(by step: ChildStep) -> EffectPath {
        var path = self
        path.way = [step.at(depth: steps.count)]
        return path
    }

    /// The same path, on which nothing can be found any more.
    var withUnknownWay: EffectPath {
        var path = self
        if !way.isEmpty { path.way = [.unknown] }
        return path
    }

    @usableFromInline
    package static func == (left: EffectPath, right: EffectPath) -> Bool { left.steps == right.steps }

    @usableFromInline
    package func hash(into hasher: inout Hasher) { hasher.combine(steps) }

    /// Whether this is the path of a child, or of a child's child, of the one at `other`.
    func isAtOrBelow(_ other: EffectPath) -> Bool { steps.starts(with: other.steps) }

    package static func + (outer: EffectPath, inner: EffectPath) -> EffectPath {
        if outer.isEmpty && outer.way.isEmpty { return inner }
        var path = outer
        path.steps += inner.steps
        path.way += inner.way.lazy.map { $0.at(depth: outer.steps.count + $0.depth) }
        return path
    }
}

/// One step of an ``EffectPath``.
@usableFromInline
package enum EffectStep: Sendable {
    /// To the child whose state a key path leads to.
    case part(AnyKeyPath & Sendable)
    /// To the child that is composed at a place of the program.
    case site(CompositionSite)
    /// To one of several children of the same kind. What identifies them is not unwrapped, so that the table which they
    /// are in can be asked for it.
    case element(ExactIdentity)
    /// To a reducer that was attached under a key.
    case attachment(EffectID)
}

extension EffectStep: Hashable {
    @usableFromInline
    package static func == (left: EffectStep, right: EffectStep) -> Bool {
        switch (left, right) {
        case (.part(let left), .part(let right)): left as AnyKeyPath == right as AnyKeyPath
        case (.site(let left), .site(let right)): left == right
        case (.element(let left), .element(let right)): left == right
        case (.attachment(let left), .attachment(let right)): left == right
        default: false
        }
    }

    @usableFromInline
    package func hash(into hasher: inout Hasher) {
        switch self {
        case .part(let keyPath): hasher.combine(keyPath as AnyKeyPath)
        case .site(let site): hasher.combine(site)
        case .element(let id): hasher.combine(id)
        case .attachment(let id): hasher.combine(id)
        }
    }
}

/// The key of a table's entry as the identity of its effects. Two keys are the same identity if the table finds them
/// equal, also if they are instances of a class and of its subclass, which ``ExactIdentity`` distinguishes.
struct ElementKey<Key: Hashable & Sendable>: Hashable, Sendable {
    let key: Key
}

extension EffectStep {
    /// To the child under a key of a table.
    package static func element<Key: Hashable & Sendable>(of key: Key) -> EffectStep {
        .element(ExactIdentity(ElementKey(key: key)))
    }
}

/// A place in the program where a reducer is composed of others.
@usableFromInline
package struct CompositionSite: Hashable, Sendable {
    @usableFromInline let fileID: String
    @usableFromInline let line: UInt
    @usableFromInline let column: UInt

    @inlinable
    init(fileID: String, line: UInt, column: UInt) {
        self.fileID = fileID
        self.line = line
        self.column = column
    }

    /// The place as errors show it.
    var source: CodeLocation { CodeLocation(fileID: fileID, line: line) }
}
