#if SQLite
    import Foundation

    /// CRC-32C, which finds every error of up to 32 bits in a row: the polynomial of Castagnoli, Bräuer and Herrmann,
    /// "Optimization of Cyclic Redundancy-Check Codes with 24 and 32 Parity Bits" (1993), computed by table, a byte at
    /// a time (Sarwate, 1988).
    struct Checksum {
        private var remainder = ~UInt32(0)

        /// The checksum of everything that was added.
        var value: UInt32 { ~remainder }

        mutating func add(_ bytes: some Sequence<UInt8>) {
            for byte in bytes { add(byte) }
        }

        /// A text with its length, so that what comes after it is not taken for a part of it.
        mutating func add(_ text: String) {
            add(text.utf8.count)
            add(text.utf8)
        }

        mutating func add(_ data: Data) {
            data.withUnsafeBytes { bytes in
                for byte in bytes { add(byte) }
            }
        }

        /// The bytes of a number, the lowest first.
        mutating func add(_ number: some FixedWidthInteger) {
            withUnsafeBytes(of: number.littleEndian) { bytes in
                for byte in bytes { add(byte) }
            }
        }

        private mutating func add(_ byte: UInt8) {
            remainder = Self.table[Int(UInt8(truncatingIfNeeded: remainder) ^ byte)] ^ (remainder >> 8)
        }

        /// The remainders of all bytes; the polynomial is 0x1EDC6F41 with its bits in reverse.
        private static let table: [UInt32] = (0..<256).map { byte in
            (0..<8).reduce(UInt32(byte)) { remainder, _ in
                remainder & 1 == 1 ? 0x82F6_3B78 ^ (remainder >> 1) : remainder >> 1
            }
        }
    }
#endif
