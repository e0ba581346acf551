/// Checks a table between the actions of a batch. The table's entries have stores or effects, which begin and end with
/// them.
@usableFromInline
struct TableCheck {
    /// The state that ``filter`` examines, at rest. `check` retains it.
    fileprivate let state: UnsafeRawPointer
    /// Determines, before `check` is called, whether the table may have changed since the previous check.
    fileprivate let filter: ByteFilter
    fileprivate let check: () -> Void

    /// Creates the check of a table.
    ///
    /// - Parameters:
    ///   - state: The state of the root or child that stores the table; `nil` if the table is computed.
    ///   - offset: The byte offset of the table in the state.
    ///   - seen: The table as of the previous check.
    ///   - root: The tree.
    ///   - check: Checks the table. It retains `seen` and the store with that state.
    @inlinable
    init<Table>(
        at state: UnsafeRawPointer?,
        _ offset: Int,
        _ seen: SeenTable<Table>,
        in root: TreeRoot,
        _ check: @escaping () -> Void
    ) {
        let last = UnsafeRawPointer(seen.place)
        self.init(
            state: state ?? root.stateAddress,
            filter: state == nil ? .passing : ByteFilter(offset: offset, size: MemoryLayout<Table>.size, last: last),
            check: check
        )
    }

    @usableFromInline
    init(state: UnsafeRawPointer, filter: ByteFilter, check: @escaping () -> Void) {
        self.state = state
        self.filter = filter
        self.check = check
    }

    /// Checks the table if it may have changed. Called within the turn.
    func callAsFunction() {
        if filter.mayHaveChanged(in: state) { check() }
    }
}

/// The tables of a tree that are checked between the actions of a batch. A plain value.
struct TableChecks {
    private var checks: [UInt64: TableCheck] = [:]
    /// The number of the table that was added last.
    private var last: UInt64 = 0
    /// All checks in the order in which they were added, so that each run creates the stores in the same order; `nil`
    /// if checks were added or removed since this was set.
    private var ordered: [TableCheck]?

    var isEmpty: Bool { checks.isEmpty }

    /// Adds a table.
    ///
    /// - Returns: The number of the table.
    mutating func add(_ check: TableCheck) -> UInt64 {
        last += 1
        checks[last] = check
        ordered = nil
        return last
    }

    mutating func remove(_ number: UInt64) -> TableCheck? {
        ordered = nil
        return checks.removeValue(forKey: number)
    }

    /// Returns all checks in the order in which they were added.
    ///
    /// - Complexity: O(1), unless checks were added or removed since the last call.
    mutating func inOrder() -> [TableCheck] {
        if let ordered { return ordered }
        let all = checks.inOrder
        ordered = all
        return all
    }
}

/// The entries of a table as of the last check.
@usableFromInline
package final class SeenTable<Table: Sendable>: @unchecked Sendable {
    // Sound: it belongs to closures that are called in the store's turn, and so by one thread at a time. Each thread
    // sees what the previous one wrote.

    /// The entries, in memory of their own, so that the bytes of a state can be compared with them. Allocated in
    /// `init`, and freed in `deinit`.
    @usableFromInline let place = UnsafeMutablePointer<Table>.allocate(capacity: 1)
    private let deferred: DeferredWorkList

    /// Creates an object with the current entries.
    ///
    /// - Parameters:
    ///   - table: The current entries.
    ///   - deferred: The deferred work of the tree. Former entries are released after its turns.
    @usableFromInline
    init(_ table: Table, retiringTo deferred: DeferredWorkList) {
        self.deferred = deferred
        place.initialize(to: table)
    }

    /// The entries. Used within the turn.
    @usableFromInline package var table: Table { place.pointee }

    deinit {
        place.deinitialize(count: 1)
        place.deallocate()
    }

    /// Replaces the entries, and returns the former ones. Called within the turn.
    @usableFromInline
    @discardableResult
    package func replace(by table: Table) -> Table {
        let former = place.move()
        place.initialize(to: table)
        deferred.retire(former)
        return former
    }
}
