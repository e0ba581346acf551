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

/// One step on the way from a store's state to that of a child whose effect is at work: by it the child is found again
/// later.
///
/// The types of states are not known where effects are run, so that it takes and gives values of any type.
@usableFromInline
package struct ChildStep: Sendable {
    /// What is found in a state.
    @usableFromInline
    package enum Finding {
        case state(Any)
        /// The child is not there, or another one is in its place.
        case nothing
        /// Nothing can be said, because the state is of another type than was expected: code of users has composed the
        /// child.
        case unknown
    }

    /// What ends with what is found.
    @usableFromInline
    package enum Kind: Sendable {
        /// Nothing: it is a part of the state that is always there.
        case part
        /// The effects of the child.
        case child
        /// Nothing, because effects outlive their child here.
        case outlived
    }

    package typealias Find = @Sendable (_ state: Any, _ search: inout ChildSearch) -> Finding

    let kind: Kind
    /// How many steps of an effect's path lead to the child.
    var depth = 0
    /// Whether the child can be dismissed.
    let isPresentation: Bool
    /// Finds the very child whose effect it is.
    let find: Find
    /// Finds whichever child is in its place.
    let findAny: Find

    package init(_ kind: Kind, isPresentation: Bool = false, find: @escaping Find, findAny: Find? = nil) {
        self.kind = kind
        self.isPresentation = isPresentation
        self.find = find
        self.findAny = findAny ?? find
    }

    /// The same step of a path, so many steps of which lead to the child.
    func at(depth: Int) -> ChildStep {
        var step = self
        step.depth = depth
        return step
    }

    /// Where nothing can be found.
    static let unknown = ChildStep(.part) { _, _ in .unknown }

    /// Finds something in a state of one type.
    package static func finding<State>(_ find: @escaping @Sendable (_ state: inout State) -> Any?) -> Find {
        { state, _ in
            guard var state = state as? State else { return .unknown }
            return find(&state).map { .state($0) } ?? .nothing
        }
    }
}

extension [ChildStep] {
    /// Whether the innermost child with which effects end is no longer in the state.
    func hasGone(by search: inout ChildSearch) -> Bool { depthOfMissingChild(by: &search) != nil }

    /// How many steps of the effect's path lead to the outermost child that is no longer in the state, of those with
    /// which effects end; nil if the innermost of them is there, or there are none.
    func depthOfMissingChild(by search: inout ChildSearch) -> Int? {
        guard let last = lastIndex(where: { $0.kind == .child }), let missing = firstMissing(upTo: last, by: &search)
        else { return nil }
        return self[missing...last].first { $0.kind == .child }?.depth
    }

    /// Whether the innermost child that can be dismissed is no longer in the state.
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

/// Looks for children in one state of a store, one after the other.
package struct ChildSearch {
    let state: Any
    /// The arrays in which an element was looked for, by their storage.
    private var arrays: [ArrayStorage: AnyObject] = [:]

    init(in state: Any) { self.state = state }

    /// The element of an array with an identity; nil if there is none.
    ///
    /// - Complexity: O(*n*) the first two times that an element of this array is looked for, and O(1) from then on.
    mutating func element<Element: Identifiable>(_ id: Element.ID, of array: [Element]) -> Element? {
        guard let storage = ArrayStorage(of: array) else { return nil }
        if let known = arrays[storage] as? ElementPositions<Element> { return known.position(of: id).map { array[$0] } }
        // Code of users can make a new array for each child.
        if arrays.count == 64 { arrays = [:] }
        arrays[storage] = ElementPositions(array)
        return array.first { $0.id == id }
    }
}

/// Tells the storage of an array from that of others, while all of these arrays are kept.
private struct ArrayStorage: Hashable {
    private let address: UnsafeRawPointer
    private let count: Int

    /// nil if there are no elements.
    init?(of array: [some Any]) {
        guard !array.isEmpty, let address = array.withUnsafeBytes({ $0.baseAddress }) else { return nil }
        (self.address, count) = (address, array.count)
    }
}

/// Where the elements of an array are.
private final class ElementPositions<Element: Identifiable> {
    // Kept, so that its storage becomes that of no other array.
    private let array: [Element]
    /// Of those with the same identity, that of the first one.
    private lazy var byID = Dictionary(array.enumerated().lazy.map { ($1.id, $0) }) { first, _ in first }

    init(_ array: [Element]) { self.array = array }

    func position(of id: Element.ID) -> Int? { byID[id] }
}
