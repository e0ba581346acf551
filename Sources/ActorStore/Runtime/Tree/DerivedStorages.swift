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
