extension NodeView {
    /// Finds the entry of a key below this node.
    @inlinable
    func find(_ key: Key, _ start: HashPath) -> UnsafeMutablePointer<Entry>? {
        var view = self
        var path = start
        while true {
            let bit = path.bit
            if view.childMap & bit != 0 {
                view = NodeView(view.child(at: view.childRank(of: bit)))
                path.descend()
            } else if view.entryMap & bit != 0 {
                let entry = view.entry(at: view.entryRank(of: bit))
                return entry.pointee.key == key ? entry : nil
            } else {
                // The maps of a collision node are empty, so only lookups that find nothing else check for one.
                guard view.isCollision, let rank = view.collisionRank(of: key) else { return nil }
                return view.entry(at: rank)
            }
        }
    }

    /// Returns the rank of a key in a collision node.
    @inlinable
    func collisionRank(of key: Key) -> Int? {
        for rank in 0..<entryCount where entry(at: rank).pointee.key == key { return rank }
        return nil
    }

    /// Calls `body` with each entry below this node, in the order of iteration of the dictionary.
    @inlinable
    func forEachEntry(_ body: (UnsafeMutablePointer<Entry>) throws -> Void) rethrows {
        for rank in 0..<entryCount { try body(entry(at: rank)) }
        for rank in 0..<childCount { try NodeView(child(at: rank)).forEachEntry(body) }
    }
}
