import ActorStoreSimulation

/// The hash of a key, which determines the shape of a test's trees.
protocol HashKind: Sendable {
    static func hash(of number: Int) -> Int
}

/// Hashes of a good function.
enum SpreadHash: HashKind {
    static func hash(of number: Int) -> Int {
        var generator = SimulationGenerator(seed: UInt64(truncatingIfNeeded: number))
        return Int(truncatingIfNeeded: generator.next())
    }
}

/// All keys have one hash.
enum EqualHash: HashKind {
    static func hash(of number: Int) -> Int { 0x1234_5678_9ABC_DEF0 }
}

/// Only three bits differ, so there are eight hashes.
enum ThreeBitHash: HashKind {
    static func hash(of number: Int) -> Int { number & 7 }
}

/// The lower 55 bits are the same, so keys part at the last levels; there are 512 hashes.
enum TopBitsHash: HashKind {
    static func hash(of number: Int) -> Int { (number << 55) | 0x0041_2345_6789_ABCD }
}

/// A number with a hash of a certain kind. `Dictionary` always uses a good hash, so that it can be the model of a tree
/// with bad hashes.
struct HashedKey<Kind: HashKind>: Hashable, Sendable, CustomStringConvertible {
    let number: Int

    init(_ number: Int) { self.number = number }

    var hashValue: Int { Kind.hash(of: number) }
    func hash(into hasher: inout Hasher) { hasher.combine(number) }
    static func == (left: HashedKey, right: HashedKey) -> Bool { left.number == right.number }
    var description: String { "\(number)" }
}
