/// FNV-1a with 64 bits (Fowler, Noll and Vo, 1991). The hashes of the standard library differ between processes.
struct FowlerNollVoHash {
    private(set) var value: UInt64 = 0xCBF2_9CE4_8422_2325

    mutating func add(_ bytes: some Sequence<UInt8>) {
        for byte in bytes { value = (value ^ UInt64(byte)) &* 0x0000_0100_0000_01B3 }
    }
}
