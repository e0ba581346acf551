import ActorStore

extension StackState: RandomAccessCollection {
    /// 0, the place of the bottom child.
    @inlinable public var startIndex: Int { 0 }
    /// The number of children.
    @inlinable public var endIndex: Int { entries.count }

    /// The child at a place, counted from the bottom. It can be changed in place.
    @inlinable
    public subscript(position: Int) -> Element {
        get { entries[position].element }
        _modify { yield &entries[position].element }
    }
}

extension StackState {
    /// The identities, from the bottom to the top.
    @inlinable public var ids: [StackElementID] { entries.map(\.id) }

    /// The identity of the top child; nil if there is none.
    @inlinable public var topID: StackElementID? { entries.last?.id }

    /// The child with an identity; nil if there is none, or no longer. It can be changed in place. To set nil takes it
    /// away, and leaves those above it; to set a child that is not there does nothing, because its identity is the
    /// stack's to give. O(log *n*).
    @inlinable
    public subscript(id id: StackElementID) -> Element? {
        get { position(of: id).map { entries[$0].element } }
        set {
            guard let position = position(of: id) else { return }
            guard let newValue else {
                remove(id: id)
                return
            }
            entries[position].element = newValue
        }
        _modify {
            guard let position = position(of: id) else {
                var nothing: Element?
                yield &nothing
                return
            }
            // Taken out of the array meanwhile, so that it has no second reference which would have it copied. Nobody
            // sees the gap, because the stack is exclusively accessed.
            let top = entries.count - 1
            entries.swapAt(position, top)
            let entry = entries.removeLast()
            let stamp = entry.stamp
            var element = Optional((consume entry).element)
            defer {
                if let element {
                    entries.append(StackEntry(id: id, stamp: stamp, element: element))
                    entries.swapAt(position, top)
                } else {
                    // The former top, which is in its place, goes to the end again.
                    if position < top { entries.append(entries.remove(at: position)) }
                    removals.append(stamp)
                }
            }
            yield &element
        }
    }

    /// Where a child is, counted from the bottom; nil if it is not there. O(log *n*).
    @inlinable
    public func position(of id: StackElementID) -> Int? { entries.position(of: id) { $0.id } }

    /// What tells a child from others that can have its identity; nil if it is not there. O(log *n*).
    @inlinable
    func stamp(of id: StackElementID) -> StackStamp? { position(of: id).map { entries[$0].stamp } }
}

extension StackState: ReducibleTable {
    /// Changes a child in place. O(log *n*).
    @inlinable
    public mutating func modifyEntry<Result>(_ id: StackElementID, _ body: (inout Element) -> Result) -> Result? {
        guard let position = position(of: id) else { return nil }
        return body(&entries[position].element)
    }

    /// What tells later whether a child has gone; nil if there are none. O(1).
    @inlinable public var entryVersion: StackVersion? {
        entries.isEmpty
            ? nil : StackVersion(removal: removal, count: entries.count, top: entries[entries.count - 1].stamp)
    }

    /// Nothing, unless a child has gone, or this is another stack or another copy; then all that are not there. O(1).
    @inlinable
    public func removals(since version: StackVersion?) -> RemovedEntries<StackElementID, Members> {
        guard let version, !hasOnlyGrown(since: version) else { return .none }
        // Keeping them makes a change of the children copy them, in O(n), if one comes in the same action yet.
        return .allExcept(members)
    }

    /// The same by the stamps of the children, which tell those that have gone if they are a few. O(log *n* + number of
    /// those).
    ///
    /// If no child has gone from the older stack since the version was taken but those of which this one knows, and its
    /// top child has been in this one too, then so have all below that.
    @inlinable
    func departedChildren(since version: StackVersion?) -> RemovedEntries<StackStamp, Members> {
        guard let version, !hasOnlyGrown(since: version) else { return .none }
        guard let gone = removals.children(since: version.removal),
            gone.contains(version.top) || entries.position(of: version.top, by: { $0.stamp }) != nil
        else { return .allExcept(members) }
        return .these(gone)
    }

    /// Whether the same children are there, in the same places, and perhaps others above them.
    ///
    /// Since no child has gone from either, what lies below a child is in both what it was when that was pushed.
    @inlinable
    func hasOnlyGrown(since version: StackVersion) -> Bool {
        removal == version.removal && version.count <= entries.count && entries[version.count - 1].stamp == version.top
    }

    /// The children that there are. O(1).
    @inlinable var members: Members { Members(entries: entries) }

    /// The children that a stack had at one moment.
    public struct Members: TableMembers {
        /// What a child is found by.
        public typealias EntryID = StackElementID

        @usableFromInline let entries: [StackEntry<Element>]

        @inlinable
        init(entries: [StackEntry<Element>]) { self.entries = entries }

        /// Whether there was a child with an identity. O(log *n*).
        @inlinable
        public func contains(_ id: StackElementID) -> Bool { entries.position(of: id) { $0.id } != nil }

        /// Whether this very child was there, and not only one with its identity. O(log *n*).
        @inlinable
        func containsChild(_ stamp: StackStamp) -> Bool { entries.position(of: stamp) { $0.stamp } != nil }
    }
}

extension StackState.Members: Sendable where Element: Sendable {}

/// Which children a stack has, as far as it has to be known to tell that some have gone. See `ReducibleTable`.
public struct StackVersion: Hashable, Sendable {
    @usableFromInline let removal: StackStamp
    @usableFromInline let count: Int
    /// The stamp of the top child.
    @usableFromInline let top: StackStamp

    @inlinable
    init(removal: StackStamp, count: Int, top: StackStamp) {
        self.removal = removal
        self.count = count
        self.top = top
    }
}
