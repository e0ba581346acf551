#if Journal
    @testable import ActorStoreJournal
    import Foundation
    import Testing

    @Suite("Records of a journal")
    struct JournalRecordTests {
        @Test("The checksum is CRC-32C, by its published check value")
        func checksum() {
            var checksum = Checksum()
            checksum.add("123456789".utf8)
            #expect(checksum.value == 0xE306_9283)
        }

        @Test("Every single bit that is changed in a record is found, in the payload, the revision and the schema")
        func bits() {
            let record = JournalRecord(revision: 5, schema: 1, payload: Data("an action".utf8))
            #expect(record.isIntact)
            for bit in 0..<record.payload.count * 8 {
                var payload = record.payload
                payload[bit / 8] ^= 1 << UInt8(bit % 8)
                #expect(!copy(record, payload: payload).isIntact)
            }
            for bit in 0..<64 { #expect(!copy(record, revision: 5 ^ (1 << bit)).isIntact) }
            for bit in 0..<32 { #expect(!copy(record, schema: 1 ^ (1 << bit)).isIntact) }
        }

        private func copy(
            _ record: JournalRecord,
            revision: UInt64? = nil,
            schema: Int? = nil,
            payload: Data? = nil
        ) -> JournalRecord {
            JournalRecord(
                revision: revision ?? record.revision,
                schema: schema ?? record.schema,
                payload: payload ?? record.payload,
                checksum: record.checksum
            )
        }
    }
#endif
