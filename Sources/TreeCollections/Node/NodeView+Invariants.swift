extension NodeView {
    /// Traps unless the tree below this node has the one shape that its keys have, and returns how many there are.
    ///
    /// - Parameters:
    ///   - prefix: the slots on the way to this node, five bits each.
    ///   - depth: how many levels lie above.
    func checkInvariants(below prefix: UInt = 0, depth: Int = 0) -> Int {
        precondition(entryMap & childMap == 0, "A slot holds an entry and a child.")
        precondition(freeBytes >= 0, "A node is fuller than it can be.")
        precondition(entryCount + childCount > 0, "A node is empty.")
        precondition(depth == 0 || !header.pointee.isSingleEntry, "A single entry is not in its parent.")
        if depth == HashPath.collisionDepth {
            checkCollision(prefix)
            return entryCount
        }
        precondition(entryMap.nonzeroBitCount == entryCount, "The count of entries is wrong.")
        var count = 0
        for slot in 0..<UInt32(32) {
            let bit: UInt32 = 1 << slot
            let slots = prefix | UInt(slot) << (HashPath.bitsPerLevel * depth)
            if entryMap & bit != 0 {
                let hash = HashPath(entry(at: entryRank(of: bit)).pointee.key).rest
                let shift = HashPath.bitsPerLevel * (depth + 1)
                precondition(hash & ((1 << shift) &- 1) == slots, "A key is not where its hash says.")
                count += 1
            } else if childMap & bit != 0 {
                count += NodeView(child(at: childRank(of: bit))).checkInvariants(below: slots, depth: depth + 1)
            }
        }
        return count
    }

    private func checkCollision(_ hash: UInt) {
        precondition(entryMap == 0 && childMap == 0, "A collision node has slots.")
        precondition(entryCount >= 2, "A collision node has a single entry.")
        for rank in 0..<entryCount {
            let key = entry(at: rank).pointee.key
            precondition(HashPath(key).rest == hash, "A collision node has keys of several hashes.")
            precondition(collisionRank(of: key) == rank, "A collision node has a key twice.")
        }
    }
}

extension TreeDictionary {
    /// Traps unless the tree is in canonical form and has as many entries as are counted. For tests.
    func checkInvariants() {
        guard let root else { return precondition(count == 0, "An empty dictionary counts entries.") }
        withExtendedLifetime(root) {
            precondition(NodeView(root).checkInvariants() == count, "The count of the dictionary is wrong.")
        }
    }
}
