import ActorStore

extension StackState: RandomAccessCollection {
    /// The position of the bottom child, 0.
    @inlinable public var startIndex: Int { 0 }
    /// The number of children.
    @inlinable public var endIndex: Int { entries.count }

    /// Accesses the child at a position, counted from the bottom. It can be changed in place.
    @inlinable
    public subscript(position: Int) -> Element {
        get { entries[position].element }
        _modify { yield &entries[position].element }
    }
}

extension StackState {
    /// The identities of the children, from the bottom to the top.
    ///
    /// - Complexity: O(*n*)
    @inlinable public var ids: [StackElementID] { entries.map(\.id) }

    /// The identity of the top child; nil if the stack is empty.
    @inlinable public var topID: StackElementID? { entries.last?.id }

    /// Accesses the child with an identity; nil if it is not in the stack. It can be changed in place.
    ///
    /// Setting nil removes the child, and leaves those above it. Setting a child that is not in the stack does nothing,
    /// because only the stack assigns identities.
    ///
    /// - Complexity: O(log *n*); O(*n*) if the child is removed.
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
            // The element is moved out of the array meanwhile, so that it has no second reference, which would make the
            // change copy it. The gap is not visible, because access to the stack is exclusive.
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
                    // The former top, which is at this position now, moves back to the end.
                    if position < top { entries.append(entries.remove(at: position)) }
                    removals.append(stamp)
                }
            }
            yield &element
        }
    }

    /// Returns the position of a child, counted from the bottom, or nil if it is not in the stack.
    ///
    /// - Returns: The position, or nil if the child is not in the stack.
    /// - Complexity: O(log *n*)
    @inlinable
    public func position(of id: StackElementID) -> Int? { entries.position(of: id) { $0.id } }

    /// Returns the stamp of a child, which distinguishes it from others with the same identity, or nil if it is not in
    /// the stack.
    ///
    /// - Complexity: O(log *n*)
    @inlinable
    func stamp(of id: StackElementID) -> StackStamp? { position(of: id).map { entries[$0].stamp } }
}

extension StackState: ReducibleTable {
    /// Changes a child in place.
    ///
    /// - Returns: The result of `body`, or nil if the child is not in the stack.
    /// - Complexity: O(log *n*)
    @inlinable
    public mutating func modifyEntry<Result>(_ id: StackElementID, _ body: (inout Element) -> Result) -> Result? {
        guard let position = position(of: id) else { return nil }
        return body(&entries[position].element)
    }

    /// A version by which removals of children can be detected later; nil if the stack is empty.
    @inlinable public var entryVersion: StackVersion? {
        entries.isEmpty
            ? nil : StackVersion(removal: removal, count: entries.count, top: entries[entries.count - 1].stamp)
    }

    /// Returns no removals if no child has been removed since the version; if one has, or if this is another stack or
    /// another copy, all identities except those of the current children.
    ///
    /// - Returns: The removed children, or all but the current ones.
    /// - Complexity: O(1)
    @inlinable
    public func removals(since version: StackVersion?) -> RemovedEntries<StackElementID, Members> {
        guard let version, !hasOnlyGrown(since: version) else { return .none }
        // Retaining the entries makes a later change of the children within the same action copy them, in O(*n*).
        return .allExcept(members)
    }

    /// Returns the removed children by their stamps, and exactly if they are few.
    ///
    /// If no child was removed from the older stack since the version, except those that this stack has recorded, and
    /// its top child was in this stack, too, then so were all children below it.
    ///
    /// - Complexity: O(log *n* + *m*), where *m* is the number of removed children.
    @inlinable
    func departedChildren(since version: StackVersion?) -> RemovedEntries<StackStamp, Members> {
        guard let version, !hasOnlyGrown(since: version) else { return .none }
        guard let gone = removals.children(since: version.removal),
            gone.contains(version.top) || entries.position(of: version.top, by: { $0.stamp }) != nil
        else { return .allExcept(members) }
        return .these(gone)
    }

    /// Returns whether the children of the version are still in their positions, perhaps with others above them.
    ///
    /// Since no child has been removed from either stack, the children below a child are the same in both as when that
    /// child was pushed.
    @inlinable
    func hasOnlyGrown(since version: StackVersion) -> Bool {
        removal == version.removal && version.count <= entries.count && entries[version.count - 1].stamp == version.top
    }

    /// The current children.
    @inlinable var members: Members { Members(entries: entries) }

    /// The children of a stack at one moment.
    public struct Members: TableMembers {
        /// The identity of a child.
        public typealias EntryID = StackElementID

        @usableFromInline let entries: [StackEntry<Element>]

        @inlinable
        init(entries: [StackEntry<Element>]) { self.entries = entries }

        /// Returns whether there was a child with an identity.
        ///
        /// - Returns: Whether there was such a child.
        /// - Complexity: O(log *n*)
        @inlinable
        public func contains(_ id: StackElementID) -> Bool { entries.position(of: id) { $0.id } != nil }

        /// Returns whether exactly this child was in the stack, and not only one with its identity.
        ///
        /// - Complexity: O(log *n*)
        @inlinable
        func containsChild(_ stamp: StackStamp) -> Bool { entries.position(of: stamp) { $0.stamp } != nil }
    }
}

extension StackState.Members: Sendable where Element: Sendable {}

/// The version of a stack's children, for the detection of removals. See `ReducibleTable`.
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
