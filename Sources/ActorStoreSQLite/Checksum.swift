#if SQLite
    import Foundation

    /// CRC-32C, which detects every burst error of up to 32 bits: the polynomial of Castagnoli, Bräuer and Herrmann,
    /// "Optimization of Cyclic Redundancy-Check Codes with 24 and 32 Parity Bits" (1993), computed from a table, a byte
    /// at a time (Sarwate, 1988).
    struct Checksum {
        private var remainder = ~UInt32(0)

        /// The checksum of everything that was added.
        var value: UInt32 { ~remainder }

        mutating func add(_ bytes: some Sequence<UInt8>) {
            // Read once, because it is initialized on first use.
            let table = Self.table
            for byte in bytes { remainder = table[Int(UInt8(truncatingIfNeeded: remainder) ^ byte)] ^ (remainder >> 8) }
        }

        /// Adds a text with its length, which separates it from what follows.
        mutating func add(_ text: String) {
            add(text.utf8.count)
            add(text.utf8)
        }

        mutating func add(_ data: Data) {
            data.withUnsafeBytes { add($0) }
        }

        /// Adds the bytes of a number, the lowest first.
        mutating func add(_ number: some FixedWidthInteger) {
            withUnsafeBytes(of: number.littleEndian) { add($0) }
        }

        /// The remainders of all bytes. The polynomial is 0x1EDC6F41 with its bits reversed.
        private static let table: [UInt32] = (0..<256).map { byte in
            (0..<8).reduce(UInt32(byte)) { remainder, _ in
                remainder & 1 == 1 ? 0x82F6_3B78 ^ (remainder >> 1) : remainder >> 1
            }
        }
    }
#endif
