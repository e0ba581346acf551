extension Observed {
    /// Describes one entry of a table; the value is `nil` while there is no entry.
    ///
    /// With a `TreeDictionary` the cost of an action depends on what it changes, not on the size of the table or the
    /// number of observed entries. See ``ObservableTable`` for other tables.
    ///
    /// - Parameters:
    ///   - keyPath: The table.
    ///   - key: The key of the entry, or the index in an array.
    /// - Returns: A description of the entry.
    @inlinable
    public static func entry<Table: ObservableTable & Sendable>(
        of keyPath: KeyPath<State, Table> & Sendable,
        key: Table.Key
    ) -> Observed where Table.Key: Sendable, Table.Value: Sendable, Value == Table.Value? {
        let entryKey = EntryKey(key)
        var observed = entry(of: keyPath, key, entryKey)
        observed.watchAlone = { group, place, root in
            Observed.selecting { $0[keyPath: keyPath].value(forKey: key) }.watch(group, place, root)
        }
        return observed
    }

    /// Describes an entry that is found through the table of observed entries of its location.
    @inlinable
    static func entry<Table: ObservableTable & Sendable>(
        of keyPath: KeyPath<State, Table> & Sendable,
        _ key: Table.Key,
        _ entryKey: EntryKey
    ) -> Observed where Table.Key: Sendable, Table.Value: Sendable, Value == Table.Value? {
        guard let stored = StoredPart(keyPath) else {
            let part = ObservedPart.computed(keyPath)
            // Sound: it is called with the address of a `State`.
            let load: @Sendable (UnsafeRawPointer) -> Table = { state in
                state.assumingMemoryBound(to: State.self).pointee[keyPath: keyPath]
            }
            var observed = Observed(
                part: .entry(part, entryKey),
                subject: .entry(keyPath, entryKey),
                byteRange: ByteRange(offset: 0, size: MemoryLayout<State>.size),
                areEqual: ==
            ) { group, place, _ in
                guard let table = place.watch(group, key, of: GroupKey(offset: place.offset, part: part), load) else {
                    return
                }
                place.watch(table, .passing) { state in table.update(load(state)) }
            }
            observed.refresh = { group, place in
                place.source.withState { group.start(with: load($0 + place.offset).value(forKey: key)) }
            }
            return observed
        }
        let part = ObservedPart.stored(ObjectIdentifier(Table.self))
        var observed = Observed(
            part: .entry(part, entryKey),
            subject: .entry(keyPath, entryKey),
            byteRange: ByteRange(offset: stored.offset, size: MemoryLayout<Table>.size),
            areEqual: ==
        ) { group, place, _ in
            let watched = place.watch(group, key, of: GroupKey(offset: place.offset + stored.offset, part: part)) {
                stored.load(from: $0)
            }
            guard let table = watched else { return }
            let filter = ByteFilter(stored, last: table.last)
            place.watch(table, filter) { state in table.update(stored.load(from: state)) }
        }
        observed.refresh = { group, place in
            place.source.withState { state in
                group.start(with: stored.load(from: state + place.offset).value(forKey: key))
            }
        }
        return observed
    }
}

extension StateLocation {
    /// Registers the observers of an entry of a table.
    ///
    /// - Returns: A detector of the table if the table is not watched yet.
    @usableFromInline
    func watch<Table: ObservableTable & Sendable>(
        _ group: Broadcast<Table.Value?>,
        _ key: Table.Key,
        of tableKey: GroupKey,
        _ load: (UnsafeRawPointer) -> Table
    ) -> TableChangeDetector<Table>? where Table.Key: Sendable, Table.Value: Sendable {
        var loaded: Table?
        source.withState { loaded = load($0 + offset) }
        guard let table = loaded else { return nil }
        group.start(with: table.value(forKey: key))
        if let detector = source.tables[tableKey] as? TableChangeDetector<Table> {
            detector.add(group, for: key)
            return nil
        }
        let detector = TableChangeDetector(table, retiringTo: group.deferred)
        detector.add(group, for: key)
        source.tables[tableKey] = detector
        return detector
    }

    /// Starts detecting the changes of a table.
    @usableFromInline
    func watch<Table: ObservableTable & Sendable>(
        _ table: TableChangeDetector<Table>,
        _ filter: ByteFilter,
        check: @escaping (UnsafeRawPointer) -> Void
    ) where Table.Key: Sendable, Table.Value: Sendable {
        watch(ChangeDetector(group: table, filter: filter, start: { _ in }, check: check, finish: { table.finish() }))
    }
}

extension ObservableStorage {
    /// Removes the group of an entry that is no longer observed.
    func unwatch(_ key: EntryKey, of tableKey: GroupKey, _ group: AnyObject, isEnd: Bool = false, in root: TreeRoot) {
        guard let table = tables[tableKey], table.remove(key.value, group) else { return }
        tables[tableKey] = nil
        unwatch(table, isEnd: isEnd, in: root)
    }
}

/// The key of an entry in a table, under which its observers are found.
@usableFromInline
struct EntryKey: Hashable, @unchecked Sendable {
    // Sound: it is created from a `Sendable` key, and never changed.
    let value: AnyHashable

    @usableFromInline
    init(_ key: some Hashable & Sendable) { value = AnyHashable(key) }
}

/// The observers of a table's entries, by key, and the version of the table that they have seen.
///
/// Touched only within the store's turn.
@usableFromInline
final class TableChangeDetector<Table: ObservableTable & Sendable>: AnyTableChangeDetector
where Table.Key: Sendable, Table.Value: Sendable {
    @usableFromInline typealias Group = Broadcast<Table.Value?>

    /// With no more observed entries than this, looking up each of them is cheaper than computing the difference.
    @usableFromInline static var fewEntries: Int { 4 }

    /// The last version, in memory of its own, so that the bytes of a state can be compared with it.
    @usableFromInline let last: UnsafeMutablePointer<Table>
    /// The observers of each entry, with a number that grows with each registered entry. Entries are notified in the
    /// order of their numbers, because the order of a dictionary is random.
    @usableFromInline private(set) var entries: [Table.Key: (number: UInt64, group: Group)] = [:]
    private var lastNumber: UInt64 = 0
    /// All entries in order; nil if the entries have changed since this was computed, or if there are many.
    @usableFromInline var few: [(key: Table.Key, group: Group)]?
    /// The changes that are being published. Its memory is reused, so that an action need not allocate it.
    @exclusivity(unchecked) @usableFromInline var changes: [(number: UInt64, group: Group, value: Table.Value?)] = []

    /// The deferred work of the tree, which releases former versions.
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

    /// Notifies the observers of the entries that differ from the last version, in the order of their registration.
    ///
    /// - Complexity: O(*m*) lookups for up to ``fewEntries`` observed entries; otherwise that of
    ///   ``ObservableTable/visitDifference(from:_:)``.
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
            // A large change must not leave its memory allocated.
            changes.removeAll(keepingCapacity: changes.count <= 64)
        }
    }

    /// Returns the entries in order.
    ///
    /// - Complexity: O(1), unless entries have been added or removed.
    @inlinable
    func fewInOrder() -> [(key: Table.Key, group: Group)] {
        if let few { return few }
        let all = entries.sorted { $0.value.number < $1.value.number }.map { (key: $0.key, group: $0.value.group) }
        few = all
        return all
    }

    /// The observers of all entries, in the order of their registration.
    @usableFromInline var inOrder: [Group] { entries.values.sorted { $0.number < $1.number }.map { $0.group } }

    /// Registers the observers of an entry.
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

/// A type-erased ``TableChangeDetector``.
@usableFromInline
protocol AnyTableChangeDetector: AnyObject {
    /// Removes the observers of an entry.
    ///
    /// - Returns: `true` if the table is no longer observed.
    func remove(_ key: AnyHashable, _ group: AnyObject) -> Bool
}
