extension NodeView {
    /// Calls `body` with each key of a tree that another tree of the same level does not have. Shared nodes are
    /// skipped, and values are not compared.
    @inlinable
    static func forEachRemovedKey(_ old: NodeView, _ new: NodeView, _ body: (Key) throws -> Void) rethrows {
        guard old.header != new.header else { return }
        // Both are collision nodes or neither is, because they are at the same level.
        guard !old.isCollision else {
            for rank in 0..<old.entryCount {
                let key = old.entry(at: rank).pointee.key
                if new.collisionRank(of: key) == nil { try body(key) }
            }
            return
        }
        var (oldEntries, oldChildren, newEntries, newChildren) = (0, 0, 0, 0)
        var rest = old.entryMap | old.childMap | new.entryMap | new.childMap
        while rest != 0 {
            let bit = rest & (0 &- rest)
            rest ^= bit
            let oldSide = old.content(bit, &oldEntries, &oldChildren)
            let newSide = new.content(bit, &newEntries, &newChildren)
            switch (oldSide, newSide) {
            case (.child(let old), .child(let new)):
                if Self.isSame(old, new) { continue }
                try forEachRemovedKey(NodeView(old), NodeView(new), body)
            case (.entry(let old), .entry(let new)):
                if old.pointee.key != new.pointee.key { try body(old.pointee.key) }
            case (.entry(let entry), .child(let child)):
                var isFound = false
                NodeView(child).forEachEntry { if $0.pointee.key == entry.pointee.key { isFound = true } }
                if !isFound { try body(entry.pointee.key) }
            case (.child(let child), .entry(let entry)):
                try NodeView(child).forEachEntry {
                    if $0.pointee.key != entry.pointee.key { try body($0.pointee.key) }
                }
            case (.entry(let entry), .nothing):
                try body(entry.pointee.key)
            case (.child(let child), .nothing):
                try NodeView(child).forEachEntry { try body($0.pointee.key) }
            case (.nothing, _):
                break
            }
        }
    }
}
