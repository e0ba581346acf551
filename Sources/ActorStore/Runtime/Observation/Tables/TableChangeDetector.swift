/// The observers of a table's entries, by key, and the version of the table that they know.
///
/// Touched only in the store's turn.
@usableFromInline
final class TableChangeDetector<Table: ObservableTable & Sendable>: AnyTableChangeDetector
where Table.Key: Sendable, Table.Value: Sendable {
    @usableFromInline typealias Group = Broadcast<Table.Value?>

    /// With so few observed entries it is cheaper to look each of them up than to find what differs.
    @usableFromInline static var fewEntries: Int { 4 }

    /// The last version, in memory of its own, so that the bytes of a state can be compared with it.
    @usableFromInline let last: UnsafeMutablePointer<Table>
    /// The observers of each entry, with a number that grows with each entry that comes: they are told in that order,
    /// because that of a dictionary is another one in each.
    @usableFromInline private(set) var entries: [Table.Key: (number: UInt64, group: Group)] = [:]
    private var lastNumber: UInt64 = 0
    /// All entries in their order; nil if some have come or gone since they were put into it, or there are many.
    @usableFromInline var few: [(key: Table.Key, group: Group)]?
    /// What is told at the moment. Its memory is kept, so that an action need not allocate it.
    @exclusivity(unchecked) @usableFromInline var changes: [(number: UInt64, group: Group, value: Table.Value?)] = []

    /// That of the tree, for versions that are no longer the last.
    @usableFromInline let deferred: DeferredWorkList

    @inlinable
    init(_ table: Table, retiringTo deferred: DeferredWorkList) {
        self.deferred = deferred
        last = .allocate(capacity: 1)
        last.initialize(to: table)
    }

    @inlinable
    deinit {
        last.deinitialize(count: 1)
        last.deallocate()
    }

    /// Tells the observers of those entries that differ from the last version, in the order of the entries.
    @inlinable
    func update(_ table: Table) {
        let previous = last.move()
        last.initialize(to: table)
        deferred.retire(previous)
        if entries.count <= Self.fewEntries {
            for (key, group) in fewInOrder() {
                let value = table.value(forKey: key)
                if group.newest.map({ $0 != value }) ?? true { group.publish(value) }
            }
        } else {
            table.visitDifference(from: previous) { key, _, value in
                if let (number, group) = entries[key] { changes.append((number, group, value)) }
            }
            changes.sort { $0.number < $1.number }
            for index in changes.indices { changes[index].group.publish(changes[index].value) }
            // A large change must not leave its memory behind.
            changes.removeAll(keepingCapacity: changes.count <= 64)
        }
    }

    /// - Complexity: O(1), unless some have come or gone.
    @inlinable
    func fewInOrder() -> [(key: Table.Key, group: Group)] {
        if let few { return few }
        let all = entries.sorted { $0.value.number < $1.value.number }.map { (key: $0.key, group: $0.value.group) }
        few = all
        return all
    }

    /// The observers of all entries, in the order of these.
    @usableFromInline var inOrder: [Group] { entries.values.sorted { $0.number < $1.number }.map(\.group) }

    /// Enters the observers of an entry.
    @usableFromInline
    func add(_ group: Group, for key: Table.Key) {
        lastNumber += 1
        entries[key] = (lastNumber, group)
        few = nil
    }

    @usableFromInline
    func remove(_ key: AnyHashable, _ group: AnyObject) -> Bool {
        if let key = key.base as? Table.Key, entries[key]?.group === group {
            entries[key] = nil
            few = nil
        }
        return entries.isEmpty
    }

    /// Ends the observations of all entries.
    @usableFromInline
    func finish() {
        for group in inOrder { group.finish() }
        entries = [:]
        few = nil
    }
}

/// A ``TableChangeDetector`` whose types are not known.
@usableFromInline
protocol AnyTableChangeDetector: AnyObject {
    /// Takes the observers of an entry out.
    ///
    /// - Returns: whether nobody is left.
    func remove(_ key: AnyHashable, _ group: AnyObject) -> Bool
}
