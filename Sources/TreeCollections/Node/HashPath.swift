/// The path of a key through the tree: five bits of its hash for each level, from the lowest.
@usableFromInline
struct HashPath {
    /// The number of bits of a level.
    @inlinable static var bitsPerLevel: Int { 5 }
    /// The level at which all bits are used up, and which has only collision nodes.
    @inlinable static var collisionDepth: Int { 13 }

    /// The remaining bits.
    @usableFromInline var rest: UInt
    /// The number of levels above.
    @usableFromInline var depth = 0

    @inlinable
    init<Key: Hashable>(_ key: Key) { rest = UInt(bitPattern: key.hashValue) }

    /// The bit of the slot at this level.
    @inlinable
    var bit: UInt32 { 1 &<< UInt32(truncatingIfNeeded: rest & 31) }

    @inlinable
    mutating func descend() {
        rest &>>= 5
        depth &+= 1
    }

    /// Returns the same path from another level on.
    @inlinable
    func descended(to depth: Int) -> HashPath {
        var path = self
        path.rest >>= HashPath.bitsPerLevel * (depth - self.depth)
        path.depth = depth
        return path
    }
}
