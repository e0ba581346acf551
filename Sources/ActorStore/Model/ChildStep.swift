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
