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

    /// The child with an identity; nil if there is none, or no longer. It can be changed in place. To set nil takes it away,
    /// and leaves those above it; to set a child that is not there does nothing, because its identity is the stack's to
    /// give. O(log *n*).
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
            // Taken out of the array meanwhile, so that it has no second reference which would have it copied. Nobody sees
            // the gap, because the stack is exclusively accessed.
            let top = entries.count - 1
            entries.swapAt(position, top)
            var element = Optional(entries.removeLast().element)
            defer {
                if let element {
                    entries.append(StackEntry(id: id, element: element))
                    entries.swapAt(position, top)
                } else {
                    // The former top, which is in its place, goes to the end again.
                    if position < top { entries.append(entries.remove(at: position)) }
                    lineage.elementsWent()
                }
            }
            yield &element
        }
    }

    /// Where a child is, counted from the bottom; nil if it is not there. O(log *n*).
    @inlinable
    public func position(of id: StackElementID) -> Int? {
        var (low, high) = (0, entries.count)
        while low < high {
            let middle = (low + high) / 2
            if entries[middle].id < id { low = middle + 1 } else { high = middle }
        }
        return low < entries.count && entries[low].id == id ? low : nil
    }
}

extension StackState: ReducibleTable {
    /// Changes a child in place. O(log *n*).
    @inlinable
    public mutating func modifyEntry<Result>(_ id: StackElementID, _ body: (inout Element) -> Result) -> Result? {
        guard let position = position(of: id) else { return nil }
        return body(&entries[position].element)
    }

    /// What changes when a child goes; nil if there are none.
    public var entryRoster: StackRoster? { isEmpty ? nil : StackRoster(lineage: lineage) }

    /// Nothing, unless a child has gone; then all that are not there, and all if this is another stack.
    public func departures(since roster: StackRoster?) -> Departures<StackElementID, Set<StackElementID>> {
        guard let roster, roster.lineage != lineage else { return .none }
        return .allExcept(roster.lineage.isOfSameStack(as: lineage) ? Set(ids) : [])
    }
}

/// Which children a stack has, as far as it has to be known to tell that some have gone. See ``ReducibleTable``.
public struct StackRoster: Sendable {
    let lineage: StackLineage
}
