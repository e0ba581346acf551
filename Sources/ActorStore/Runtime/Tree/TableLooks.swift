/// How a table is looked at between the actions of a batch, with whose entries stores or effects come and go.
@usableFromInline
struct TableLook {
    /// The state that ``filter`` looks at, at rest. What is called keeps it.
    fileprivate let state: UnsafeRawPointer
    /// Tells, before it is called, whether the table can differ from what it was when it was looked at before.
    fileprivate let filter: ByteFilter
    fileprivate let look: () -> Void

    /// - Parameters:
    ///   - state: The state of a root or of a child in whose memory the table is; nil if it has to be computed.
    ///   - offset: How many bytes into it the table is.
    ///   - seen: The table as it was when it was looked at before.
    ///   - root: The tree.
    ///   - look: Looks at the table. It keeps the store whose state that is, and `seen`.
    @inlinable
    init<Table>(
        at state: UnsafeRawPointer?,
        _ offset: Int,
        _ seen: SeenTable<Table>,
        in root: TreeRoot,
        _ look: @escaping () -> Void
    ) {
        let last = UnsafeRawPointer(seen.place)
        self.init(
            state: state ?? root.stateAddress,
            filter: state == nil ? .passing : ByteFilter(offset: offset, size: MemoryLayout<Table>.size, last: last),
            look: look
        )
    }

    @usableFromInline
    init(state: UnsafeRawPointer, filter: ByteFilter, look: @escaping () -> Void) {
        self.state = state
        self.filter = filter
        self.look = look
    }

    /// Looks at the table if it may have changed. In the turn.
    func callAsFunction() {
        if filter.mayHaveChanged(in: state) { look() }
    }
}

/// The tables of a tree that are looked at between the actions of a batch. A plain value.
struct TableLooks {
    private var looks: [UInt64: TableLook] = [:]
    /// The number of the last table.
    private var last: UInt64 = 0
    /// All of them in the order in which they came, so that their stores come in the same order in each run; nil if
    /// some have come or gone since they were put into it.
    private var ordered: [TableLook]?

    var isEmpty: Bool { looks.isEmpty }

    /// - Returns: The number of the table.
    mutating func add(_ look: TableLook) -> UInt64 {
        last += 1
        looks[last] = look
        ordered = nil
        return last
    }

    mutating func remove(_ number: UInt64) -> TableLook? {
        ordered = nil
        return looks.removeValue(forKey: number)
    }

    /// All of them, in the order in which they came.
    ///
    /// - Complexity: O(1), unless some have come or gone.
    mutating func inOrder() -> [TableLook] {
        if let ordered { return ordered }
        let all = looks.inOrder
        ordered = all
        return all
    }
}

/// The entries of a table as they were when it was looked at last.
@usableFromInline
package final class SeenTable<Table: Sendable>: @unchecked Sendable {
    // Sound: it belongs to closures that are called in the store's turn, and so by one thread at a time, each of which
    // sees what the one before has written.

    /// Where they are: in memory of their own, so that the bytes of a state can be compared with them. Allocated in
    /// `init`, and freed in `deinit`.
    @usableFromInline let place = UnsafeMutablePointer<Table>.allocate(capacity: 1)
    private let deferred: DeferredWorkList

    /// - Parameter deferred: That of the tree in whose turns it is touched. Former values are released after these.
    @usableFromInline
    init(_ table: Table, retiringTo deferred: DeferredWorkList) {
        self.deferred = deferred
        place.initialize(to: table)
    }

    /// The entries as they were. In the turn.
    @usableFromInline package var table: Table { place.pointee }

    deinit {
        place.deinitialize(count: 1)
        place.deallocate()
    }

    /// Keeps the entries as they are now, and returns those before. In the turn.
    @usableFromInline
    @discardableResult
    package func replace(by table: Table) -> Table {
        let former = place.move()
        place.initialize(to: table)
        deferred.retire(former)
        return former
    }
}
