/// Numbers that look random and are the same for the same seed. (Steele, Lea and Flood, "Fast splittable pseudorandom
/// number generators", 2014: SplitMix64.)
public struct SeededGenerator: RandomNumberGenerator, Sendable {
    private var state: UInt64

    /// The numbers of a seed.
    public init(seed: UInt64) { state = seed }

    /// The next number.
    public mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }

    /// A number from 0 on.
    public mutating func below(_ count: Int) -> Int { Int.random(in: 0..<count, using: &self) }
}
