/// Numbers that look random, and are the same for the same seed: SplitMix64.
struct SeededGenerator: RandomNumberGenerator {
    private var state: UInt64 = 0xCBF2_9CE4_8422_2325

    /// Takes the seed from a text and some numbers, with the hash FNV-1a: that of the standard library differs in each
    /// run of the program.
    init(_ text: String, _ numbers: UInt64...) {
        for value in text.utf8.map(UInt64.init) + numbers { state = (state ^ value) &* 0x100_0000_01B3 }
    }

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }
}
