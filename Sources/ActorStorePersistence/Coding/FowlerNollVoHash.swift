/// FNV-1a of 64 bits (Fowler, Noll and Vo, 1991). The standard library's hashes are others in each process.
struct FowlerNollVoHash {
    private(set) var value: UInt64 = 0xCBF2_9CE4_8422_2325

    mutating func add(_ bytes: some Sequence<UInt8>) {
        for byte in bytes { value = (value ^ UInt64(byte)) &* 0x0000_0100_0000_01B3 }
    }
}
