/// A state that lies in no store's memory, because it is computed from others; made after each turn as long as somebody
/// observes it.
@usableFromInline
class DerivedStorage: ObservableStorage, @unchecked Sendable {
    // Sound: constants, and what is touched only in the turn of the tree.
    @usableFromInline final let root: TreeRoot
    /// The store with whose end it ends.
    final let node: any StoreNode
    /// The element of a collection that it is made of, and with which it ends, if there is one.
    final let element: (any DependentObserverHost)?
    private var isRegistered = false

    init(root: TreeRoot, node: any StoreNode, element: (any DependentObserverHost)?) {
        self.root = root
        self.node = node
        self.element = element
    }

    /// With whose end it ends.
    final var end: any DependentObserverHost { element ?? node }

    /// The sources of state with any of which it ends.
    final var ends: [ObjectIdentifier] { [ObjectIdentifier(node)] + (element.map { [ObjectIdentifier($0)] } ?? []) }

    /// Whether that which it is made of has ended. In the turn.
    final var hasEnded: Bool { node.isFinished || element?.isFinished == true }

    /// Tells the observers whose parts have changed. In the turn.
    func check() { withState { detectChanges($0) } }

    override func detectorsChanged() {
        guard detectors.isEmpty == isRegistered else { return }
        isRegistered.toggle()
        if isRegistered { root.derived.append(self) } else { root.derived.remove(self) }
    }
}

/// A state that is computed once for all that observe it.
final class DerivedState<State: Sendable>: DerivedStorage, @unchecked Sendable {
    // Sound: see there.
    private let load: @Sendable () -> State

    init(
        root: TreeRoot,
        node: any StoreNode,
        element: (any DependentObserverHost)?,
        load: @escaping @Sendable () -> State
    ) {
        self.load = load
        super.init(root: root, node: node, element: element)
    }

    override func withState(_ body: (UnsafeRawPointer) -> Void) {
        withUnsafePointer(to: load()) { body($0) }
    }
}

/// The states that are computed from others, as far as they are observed, in the order in which they came. A plain
/// value.
struct DerivedStorages {
    /// Nil where one has gone.
    private var places: [DerivedStorage?] = []
    private var indexes: [ObjectIdentifier: Int] = [:]
    /// The sources that end with a store, or with an element, by that.
    private var dependents: [ObjectIdentifier: Set<ObjectIdentifier>] = [:]

    var isEmpty: Bool { indexes.isEmpty }

    /// All of them.
    ///
    /// - Complexity: O(*n*).
    var all: [DerivedStorage] { places.compactMap(\.self) }

    /// Calls `body` with each of those that are there now.
    func forEach(_ body: (DerivedStorage) -> Void) {
        for case let source? in places { body(source) }
    }

    /// - Complexity: O(1), amortised.
    mutating func append(_ source: DerivedStorage) {
        let id = ObjectIdentifier(source)
        indexes[id] = places.count
        places.append(source)
        for end in source.ends { dependents[end, default: []].insert(id) }
    }

    /// - Complexity: O(1), amortised.
    mutating func remove(_ source: DerivedStorage) {
        let id = ObjectIdentifier(source)
        guard let index = indexes.removeValue(forKey: id) else { return }
        places[index] = nil
        for end in source.ends {
            dependents[end]?.remove(id)
            if dependents[end]?.isEmpty == true { dependents[end] = nil }
        }
        if indexes.count < places.count / 2 { compact() }
    }

    /// Those that end with a store, or with an element, in the order in which they came.
    ///
    /// - Complexity: O(*m* log *m*) with *m* of them.
    func ending(with source: ObservableStorage) -> [DerivedStorage] {
        guard let found = dependents[ObjectIdentifier(source)] else { return [] }
        return found.compactMap { indexes[$0] }.sorted().compactMap { places[$0] }
    }

    private mutating func compact() {
        places = all
        for (index, source) in places.enumerated() {
            if let source { indexes[ObjectIdentifier(source)] = index }
        }
    }
}
