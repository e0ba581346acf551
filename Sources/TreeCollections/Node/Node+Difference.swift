extension NodeView {
    /// Calls `body` with each key whose values differ in two trees of the same level: with the old value unless it was
    /// inserted, and the new value unless it was removed. Shared nodes are skipped.
    @inlinable
    static func forEachDifference(
        _ old: NodeView,
        _ new: NodeView,
        _ body: (_ key: Key, _ oldValue: Value?, _ newValue: Value?) throws -> Void
    ) rethrows where Value: Equatable {
        guard old.header != new.header else { return }
        // Both are collision nodes or neither is, because they are at the same level.
        guard !old.isCollision else { return try forEachCollisionDifference(old, new, body) }
        // Counted instead of derived from the maps, since all slots are visited in order.
        var (oldEntries, oldChildren, newEntries, newChildren) = (0, 0, 0, 0)
        var rest = old.entryMap | old.childMap | new.entryMap | new.childMap
        while rest != 0 {
            let bit = rest & (0 &- rest)
            rest ^= bit
            let oldSide = old.content(bit, &oldEntries, &oldChildren)
            let newSide = new.content(bit, &newEntries, &newChildren)
            switch (oldSide, newSide) {
            case (.child(let old), .child(let new)):
                // Most children are shared, and are not visited.
                if Self.isSame(old, new) { continue }
                try forEachDifference(NodeView(old), NodeView(new), body)
            case (.entry(let old), .entry(let new)):
                try compare(old, new, body)
            case (.entry(let entry), .child(let child)):
                try compare(entry, withAllOf: NodeView(child)) { key, single, other in try body(key, single, other) }
            case (.child(let child), .entry(let entry)):
                try compare(entry, withAllOf: NodeView(child)) { key, single, other in try body(key, other, single) }
            case (.entry(let entry), .nothing):
                try body(entry.pointee.key, entry.pointee.value, nil)
            case (.nothing, .entry(let entry)):
                try body(entry.pointee.key, nil, entry.pointee.value)
            case (.child(let child), .nothing):
                try NodeView(child).forEachEntry { try body($0.pointee.key, $0.pointee.value, nil) }
            case (.nothing, .child(let child)):
                try NodeView(child).forEachEntry { try body($0.pointee.key, nil, $0.pointee.value) }
            case (.nothing, .nothing):
                break
            }
        }
    }

    /// Returns whether two slots refer to the same node. They are compared as words, to avoid reference counting.
    @inlinable
    @inline(__always)
    static func isSame(_ left: Slot, _ right: Slot) -> Bool {
        UnsafeRawPointer(left).load(as: UInt.self) == UnsafeRawPointer(right).load(as: UInt.self)
    }

    /// The content of a slot.
    @usableFromInline
    enum Content {
        case nothing
        case entry(UnsafeMutablePointer<Entry>)
        case child(Slot)
    }

    /// Returns the content of the slot of `bit`. The numbers of entries and children before it are updated.
    @inlinable
    @inline(__always)
    func content(_ bit: UInt32, _ entries: inout Int, _ children: inout Int) -> Content {
        if childMap & bit != 0 {
            defer { children &+= 1 }
            return .child(child(at: children))
        }
        if entryMap & bit != 0 {
            defer { entries &+= 1 }
            return .entry(entry(at: entries))
        }
        return .nothing
    }

    @inlinable
    static func compare(
        _ old: UnsafeMutablePointer<Entry>,
        _ new: UnsafeMutablePointer<Entry>,
        _ body: (_ key: Key, _ oldValue: Value?, _ newValue: Value?) throws -> Void
    ) rethrows where Value: Equatable {
        if old.pointee.key != new.pointee.key {
            try body(old.pointee.key, old.pointee.value, nil)
            try body(new.pointee.key, nil, new.pointee.value)
        } else if old.pointee.value != new.pointee.value {
            try body(new.pointee.key, old.pointee.value, new.pointee.value)
        }
    }

    /// Compares an entry of one tree with a subtree that the other tree has in its place.
    @inlinable
    static func compare(
        _ single: UnsafeMutablePointer<Entry>,
        withAllOf view: NodeView,
        _ body: (_ key: Key, _ single: Value?, _ other: Value?) throws -> Void
    ) rethrows where Value: Equatable {
        var isFound = false
        try view.forEachEntry { other in
            if other.pointee.key == single.pointee.key {
                isFound = true
                guard other.pointee.value != single.pointee.value else { return }
                try body(other.pointee.key, single.pointee.value, other.pointee.value)
            } else {
                try body(other.pointee.key, nil, other.pointee.value)
            }
        }
        if !isFound { try body(single.pointee.key, single.pointee.value, nil) }
    }

    @inlinable
    static func forEachCollisionDifference(
        _ old: NodeView,
        _ new: NodeView,
        _ body: (_ key: Key, _ oldValue: Value?, _ newValue: Value?) throws -> Void
    ) rethrows where Value: Equatable {
        for rank in 0..<old.entryCount {
            let entry = old.entry(at: rank)
            if let place = new.collisionRank(of: entry.pointee.key) {
                try compare(entry, new.entry(at: place), body)
            } else {
                try body(entry.pointee.key, entry.pointee.value, nil)
            }
        }
        for rank in 0..<new.entryCount {
            let entry = new.entry(at: rank)
            guard old.collisionRank(of: entry.pointee.key) == nil else { continue }
            try body(entry.pointee.key, nil, entry.pointee.value)
        }
    }
}
