/// The storage of a state that is computed from others and not stored in a store. It is computed after each turn while
/// it is observed.
@usableFromInline
class DerivedStorage: ObservableStorage, @unchecked Sendable {
    // Sound: constants, and what is accessed only in the turn of the tree.
    @usableFromInline final let root: TreeRoot
    /// The store whose end ends it.
    final let node: any StoreNode
    /// The collection element that it is computed from, if there is one. Its end ends it, too.
    final let element: (any DependentObserverHost)?
    private var isRegistered = false

    init(root: TreeRoot, node: any StoreNode, element: (any DependentObserverHost)?) {
        self.root = root
        self.node = node
        self.element = element
    }

    /// The host that ends it: its element, or else its store.
    final var end: any DependentObserverHost { element ?? node }

    /// All storages whose end ends it.
    final var ends: [ObjectIdentifier] { [ObjectIdentifier(node)] + (element.map { [ObjectIdentifier($0)] } ?? []) }

    /// Whether its store or its element has ended. Used within the turn.
    final var hasEnded: Bool { node.isFinished || element?.isFinished == true }

    /// Notifies the observers whose parts have changed. Called within the turn.
    func check() { withState { detectChanges($0) } }

    override func detectorsChanged() {
        guard detectors.isEmpty == isRegistered else { return }
        isRegistered.toggle()
        if isRegistered { root.derived.append(self) } else { root.derived.remove(self) }
    }
}

/// A derived state that is computed once for all its observers.
final class DerivedState<State: Sendable>: DerivedStorage, @unchecked Sendable {
    // Sound: see `DerivedStorage`.
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

/// The derived states that are observed, in the order in which they were added. A plain value.
struct DerivedStorages {
    /// `nil` where a storage was removed.
    private var places: [DerivedStorage?] = []
    private var indexes: [ObjectIdentifier: Int] = [:]
    /// The storages that end with a store or an element, by that store or element.
    private var dependents: [ObjectIdentifier: Set<ObjectIdentifier>] = [:]

    var isEmpty: Bool { indexes.isEmpty }

    /// All storages.
    ///
    /// - Complexity: O(*n*).
    var all: [DerivedStorage] { places.compactMap(\.self) }

    /// Calls `body` with each storage that is present now.
    ///
    /// - Complexity: O(*n*).
    func forEach(_ body: (DerivedStorage) -> Void) {
        for case let source? in places { body(source) }
    }

    /// Adds a storage.
    ///
    /// - Complexity: O(1), amortised.
    mutating func append(_ source: DerivedStorage) {
        let id = ObjectIdentifier(source)
        indexes[id] = places.count
        places.append(source)
        for end in source.ends { dependents[end, default: []].insert(id) }
    }

    /// Removes a storage.
    ///
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

    /// Returns the storages that end with a store or an element, in the order in which they were added.
    ///
    /// - Complexity: O(*m* log *m*), where *m* is their number.
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
