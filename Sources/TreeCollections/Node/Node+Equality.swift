extension NodeView {
    /// Returns whether two trees of the same level have the same entries. Since equal keys imply equal shapes, they are
    /// compared slot by slot; shared nodes are skipped.
    @inlinable
    func isEqual(to other: NodeView, by areEqual: (Value, Value) -> Bool) -> Bool {
        guard header != other.header else { return true }
        guard entryMap == other.entryMap, childMap == other.childMap, entryCount == other.entryCount else {
            return false
        }
        if isCollision { return hasSameCollisions(as: other, by: areEqual) }
        for rank in 0..<entryCount {
            let left = entry(at: rank)
            let right = other.entry(at: rank)
            guard left.pointee.key == right.pointee.key, areEqual(left.pointee.value, right.pointee.value) else {
                return false
            }
        }
        for rank in 0..<childCount {
            if Self.isSame(child(at: rank), other.child(at: rank)) { continue }
            guard NodeView(child(at: rank)).isEqual(to: NodeView(other.child(at: rank)), by: areEqual) else {
                return false
            }
        }
        return true
    }

    /// Compares collision nodes of the same size, whose order depends on their history.
    @inlinable
    func hasSameCollisions(as other: NodeView, by areEqual: (Value, Value) -> Bool) -> Bool {
        for rank in 0..<entryCount {
            let left = entry(at: rank)
            guard let place = other.collisionRank(of: left.pointee.key),
                areEqual(left.pointee.value, other.entry(at: place).pointee.value)
            else { return false }
        }
        return true
    }
}
