/// The path to the child that an effect belongs to: from the store's reducer, through children, to the reducer that
/// returned it.
///
/// Empty for effects of the store's own reducer, which then pay nothing.
@usableFromInline
package struct EffectPath: Hashable, Sendable {
    /// The steps, from the outermost child to the innermost.
    var steps: [EffectStep] = []
    /// The steps that find the child in the state of its store. They do not take part in equality.
    var way: [ChildStep] = []

    @usableFromInline
    package init(_ steps: EffectStep..., by step: ChildStep? = nil) {
        self.steps = steps
        if let step { way = [step.at(depth: steps.count)] }
    }

    var isEmpty: Bool { steps.isEmpty }

    /// Returns the same path to a child that is found by a step.
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

    /// Returns whether this is the path at `other`, or of a child below it.
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
    /// A step to the child at a key path of the state.
    case part(AnyKeyPath & Sendable)
    /// A step to the child that is composed at a source location.
    case site(CompositionSite)
    /// A step to one of several children of the same kind. The identity is not unwrapped, so that the table can be
    /// searched for it.
    case element(ExactIdentity)
    /// A step to a reducer that was attached under a key.
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

/// The key of a table's entry as the identity of its effects. Two keys are the same identity if the table considers
/// them equal, even if they are instances of a class and its subclass, which ``ExactIdentity`` distinguishes.
struct ElementKey<Key: Hashable & Sendable>: Hashable, Sendable {
    let key: Key
}

extension EffectStep {
    /// Returns a step to the child under a key of a table.
    package static func element<Key: Hashable & Sendable>(of key: Key) -> EffectStep {
        .element(ExactIdentity(ElementKey(key: key)))
    }
}

/// A location in the code at which a reducer is composed of others.
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

    /// The location, in the form that errors show.
    var source: CodeLocation { CodeLocation(fileID: fileID, line: line) }
}

/// A step from a store's state to that of a child, which finds the child of an effect again later.
///
/// The code that runs effects does not have the types of the states, so steps take and return values of any type.
@usableFromInline
package struct ChildStep: Sendable {
    /// The result of a search in a state.
    @usableFromInline
    package enum Finding {
        case state(Any)
        /// The child is missing, or another one is in its place.
        case nothing
        /// The result is unknown, because the state has another type than expected: user code has composed the child.
        case unknown
    }

    /// What ends when the part of the state is removed.
    @usableFromInline
    package enum Kind: Sendable {
        /// Nothing: the part always exists.
        case part
        /// The effects of the child.
        case child
        /// Nothing, because effects outlive their child here.
        case outlived
    }

    package typealias Find = @Sendable (_ state: Any, _ search: inout ChildSearch) -> Finding

    let kind: Kind
    /// The number of steps in the effect's path that lead to the child.
    var depth = 0
    /// Whether the child can be dismissed.
    let isPresentation: Bool
    /// Finds the exact child that the effect belongs to.
    let find: Find
    /// Finds the child that is now at the location.
    let findAny: Find

    package init(_ kind: Kind, isPresentation: Bool = false, find: @escaping Find, findAny: Find? = nil) {
        self.kind = kind
        self.isPresentation = isPresentation
        self.find = find
        self.findAny = findAny ?? find
    }

    /// Returns the same step, at this depth in a path.
    func at(depth: Int) -> ChildStep {
        var step = self
        step.depth = depth
        return step
    }

    /// A step at which nothing can be found.
    static let unknown = ChildStep(.part) { _, _ in .unknown }

    /// Returns a search in a state of one type.
    package static func finding<State>(_ find: @escaping @Sendable (_ state: inout State) -> Any?) -> Find {
        { state, _ in
            guard var state = state as? State else { return .unknown }
            return find(&state).map { .state($0) } ?? .nothing
        }
    }
}

extension [ChildStep] {
    /// Returns whether the innermost child whose effects end with it is no longer in the state.
    func hasGone(by search: inout ChildSearch) -> Bool { depthOfMissingChild(by: &search) != nil }

    /// Returns the depth, in steps of the effect's path, of the outermost child that is no longer in the state, among
    /// those whose effects end with them; nil if the innermost of them exists, or if there are no such children.
    func depthOfMissingChild(by search: inout ChildSearch) -> Int? {
        guard let last = lastIndex(where: { $0.kind == .child }), let missing = firstMissing(upTo: last, by: &search)
        else { return nil }
        return self[missing...last].first { $0.kind == .child }?.depth
    }

    /// Returns whether the innermost child that can be dismissed is no longer in the state.
    func presentationIsOver(by search: inout ChildSearch) -> Bool {
        guard let last = lastIndex(where: \.isPresentation) else { return false }
        return firstMissing(upTo: last, by: &search) != nil
    }

    private func firstMissing(upTo last: Int, by search: inout ChildSearch) -> Int? {
        var state = search.state
        for index in 0...last {
            let step = self[index]
            switch index < last && step.kind == .outlived ? step.findAny(state, &search) : step.find(state, &search) {
            case .state(let child): state = child
            case .nothing: return index
            case .unknown: return nil
            }
        }
        return nil
    }
}

/// A search for several children in one state of a store.
package struct ChildSearch {
    let state: Any
    /// The arrays that were searched, by their storage.
    private var arrays: [ArrayStorage: AnyObject] = [:]

    init(in state: Any) { self.state = state }

    /// Returns the element of an array with an identity; nil if there is no such element.
    ///
    /// - Complexity: O(*n*) the first two times that this array is searched, and O(1) from then on.
    mutating func element<Element: Identifiable>(_ id: Element.ID, of array: [Element]) -> Element? {
        guard let storage = ArrayStorage(of: array) else { return nil }
        if let known = arrays[storage] as? ElementPositions<Element> { return known.position(of: id).map { array[$0] } }
        // Bounded, because user code can create a new array for each child.
        if arrays.count == 64 { arrays = [:] }
        arrays[storage] = ElementPositions(array)
        return array.first { $0.id == id }
    }
}

/// The identity of an array's storage, valid while the array is retained.
private struct ArrayStorage: Hashable {
    private let address: UnsafeRawPointer
    private let count: Int

    /// Returns nil for an empty array.
    init?(of array: [some Any]) {
        guard !array.isEmpty, let address = array.withUnsafeBytes({ $0.baseAddress }) else { return nil }
        (self.address, count) = (address, array.count)
    }
}

/// The positions of an array's elements by identity.
private final class ElementPositions<Element: Identifiable> {
    // Retained, so that its storage is not reused for another array.
    private let array: [Element]
    /// Contains the first element of those with the same identity.
    private lazy var byID = Dictionary(array.enumerated().lazy.map { ($1.id, $0) }) { first, _ in first }

    init(_ array: [Element]) { self.array = array }

    func position(of id: Element.ID) -> Int? { byID[id] }
}
