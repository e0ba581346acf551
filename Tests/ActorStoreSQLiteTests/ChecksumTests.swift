#if SQLite
    import ActorStorePersistence
    @testable import ActorStoreSQLite
    import Foundation
    import Testing

    @Suite("Checksums of a log in a file")
    struct ChecksumTests {
        @Test("The checksum is CRC-32C, by its published check value")
        func checkValue() {
            var checksum = Checksum()
            checksum.add(Data("123456789".utf8))
            #expect(checksum.value == 0xE306_9283)
        }

        @Test("Every single changed bit of an entry is detected: in the payload, the header, the origin and the number")
        func bits() throws {
            let folder = try TemporaryFolder()
            let connection = try SQLiteLog(at: folder("log")).connect()
            let written = entry(1, of: "origin", "an action")
            try connection.append([written], if: AppendCondition(.end(.start)))
            let columns: [(String, Data)] = [
                ("payload", written.payload), ("header", Data(written.header.utf8)), ("origin", Data("origin".utf8)),
            ]
            for (column, bytes) in columns {
                for bit in 0..<bytes.count * 8 {
                    var changed = bytes
                    changed[bit / 8] ^= 1 << UInt8(bit % 8)
                    try expectDamage(connection, folder("log"), column, literal(changed), literal(bytes))
                }
            }
            for bit in 0..<63 {
                try expectDamage(connection, folder("log"), "number", "\(1 ^ (Int64(1) << Int64(bit)))", "1")
            }
            #expect(try connection.read(after: 0, atMost: 1_000) == [written])
        }

        private func literal(_ bytes: Data) -> String {
            "CAST(x'\(bytes.map { String(format: "%02x", $0) }.joined())' AS TEXT)"
        }

        /// Changes a column of the entry, reads it, and changes it back.
        private func expectDamage(
            _ connection: any ActionLogConnection,
            _ path: String,
            _ column: String,
            _ changed: String,
            _ whole: String
        ) throws {
            let cast = column == "payload" ? { "CAST(\($0) AS BLOB)" } : { (value: String) in value }
            try shell(path, "PRAGMA synchronous=OFF; UPDATE entries SET \(column) = \(cast(changed))")
            let error = #expect(throws: ActionLogError.self, "\(column) = \(changed)") {
                try connection.read(after: 0, atMost: 1_000)
            }
            #expect(error?.code == .damaged)
            try shell(path, "PRAGMA synchronous=OFF; UPDATE entries SET \(column) = \(cast(whole))")
        }
    }
#endif
