/// The way of a key through the tree: five bits of its hash for each level, from the lowest.
@usableFromInline
struct HashPath {
    /// How many bits a level uses.
    @inlinable static var bitsPerLevel: Int { 5 }
    /// The level at which all bits are used up, and where only collision nodes are.
    @inlinable static var collisionDepth: Int { 13 }

    /// The bits that are not used yet.
    @usableFromInline var rest: UInt
    /// How many levels lie above.
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

    /// The same way, from another level on.
    @inlinable
    func descended(to depth: Int) -> HashPath {
        var path = self
        path.rest >>= HashPath.bitsPerLevel * (depth - self.depth)
        path.depth = depth
        return path
    }
}
