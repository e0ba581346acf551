extension NodeView {
    /// Traps unless the tree below this node has the canonical shape of its keys, and returns the number of keys.
    ///
    /// - Parameters:
    ///   - prefix: The slots on the path to this node, five bits each.
    ///   - depth: The number of levels above.
    func checkInvariants(below prefix: UInt = 0, depth: Int = 0) -> Int {
        check(entryMap & childMap == 0, "A slot holds an entry and a child.")
        check(freeBytes >= 0, "A node is fuller than it can be.")
        check(entryCount + childCount > 0, "A node is empty.")
        check(depth == 0 || !header.pointee.isSingleEntry, "A single entry is not in its parent.")
        if depth == HashPath.collisionDepth {
            checkCollision(prefix)
            return entryCount
        }
        check(entryMap.nonzeroBitCount == entryCount, "The count of entries is wrong.")
        var count = 0
        for slot in 0..<UInt32(32) {
            let bit: UInt32 = 1 << slot
            let slots = prefix | UInt(slot) << (HashPath.bitsPerLevel * depth)
            if entryMap & bit != 0 {
                let hash = HashPath(entry(at: entryRank(of: bit)).pointee.key).rest
                let shift = HashPath.bitsPerLevel * (depth + 1)
                check(hash & ((1 << shift) &- 1) == slots, "A key is not where its hash says.")
                count += 1
            } else if childMap & bit != 0 {
                count += NodeView(child(at: childRank(of: bit))).checkInvariants(below: slots, depth: depth + 1)
            }
        }
        return count
    }

    private func checkCollision(_ hash: UInt) {
        check(entryMap == 0 && childMap == 0, "A collision node has slots.")
        check(entryCount >= 2, "A collision node has a single entry.")
        for rank in 0..<entryCount {
            let key = entry(at: rank).pointee.key
            check(HashPath(key).rest == hash, "A collision node has keys of several hashes.")
            check(collisionRank(of: key) == rank, "A collision node has a key twice.")
        }
    }
}

extension TreeDictionary {
    /// Traps unless the tree is in canonical form and has the recorded number of entries. For tests.
    func checkInvariants() {
        guard let root else { return check(count == 0, "An empty dictionary counts entries.") }
        withExtendedLifetime(root) {
            check(NodeView(root).checkInvariants() == count, "The count of the dictionary is wrong.")
        }
    }
}

/// Traps with a message unless an invariant holds, in release builds as well.
private func check(_ holds: Bool, _ message: StaticString) {
    guard holds else { fatalError("An invariant of a TreeDictionary does not hold: \(message)") }
}
