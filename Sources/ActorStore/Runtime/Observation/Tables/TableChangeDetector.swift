/// The observers of a table's entries, by key, and the version of the table that they know.
///
/// Touched only in the store's turn.
@usableFromInline
final class TableChangeDetector<Table: ObservableTable & Sendable>: AnyTableChangeDetector
where Table.Key: Sendable, Table.Value: Sendable {
    /// With so few observed entries it is cheaper to look each of them up than to find what differs.
    @usableFromInline static var fewEntries: Int { 4 }

    /// The last version, in memory of its own, so that the bytes of a state can be compared with it.
    @usableFromInline let last: UnsafeMutablePointer<Table>
    @usableFromInline var entries: [Table.Key: Broadcast<Table.Value?>] = [:]

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

    /// Tells the observers of those entries that differ from the last version.
    @inlinable
    func update(_ table: Table) {
        let previous = last.move()
        last.initialize(to: table)
        deferred.retire(previous)
        if entries.count <= Self.fewEntries {
            for (key, group) in entries {
                let value = table.value(forKey: key)
                if group.newest.map({ $0 != value }) ?? true { group.publish(value) }
            }
        } else {
            table.visitDifference(from: previous) { key, _, value in entries[key]?.publish(value) }
        }
    }

    @usableFromInline
    func remove(_ key: AnyHashable, _ group: AnyObject) -> Bool {
        if let key = key.base as? Table.Key, entries[key] === group { entries[key] = nil }
        return entries.isEmpty
    }

    /// Ends the observations of all entries.
    @inlinable
    func finish() {
        for group in entries.values { group.finish() }
        entries = [:]
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
