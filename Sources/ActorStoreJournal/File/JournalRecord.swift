#if Journal
    import Foundation

    /// An action or a state as it lies in the file.
    struct JournalRecord: Sendable, Equatable {
        let revision: UInt64
        /// The version of the schema that the payload is written in.
        let schema: Int
        let payload: Data
        let checksum: UInt32

        /// One to be written.
        init(revision: UInt64, schema: Int, payload: Data) {
            self.init(
                revision: revision,
                schema: schema,
                payload: payload,
                checksum: Self.checksum(of: payload, revision, schema)
            )
        }

        /// One that was read.
        init(revision: UInt64, schema: Int, payload: Data, checksum: UInt32) {
            self.revision = revision
            self.schema = schema
            self.payload = payload
            self.checksum = checksum
        }

        /// Whether it is as it was written. It covers the revision, too, so that a record in a wrong place is found.
        var isIntact: Bool { checksum == Self.checksum(of: payload, revision, schema) }

        private static func checksum(of payload: Data, _ revision: UInt64, _ schema: Int) -> UInt32 {
            var checksum = Checksum()
            checksum.add(revision)
            checksum.add(Int64(schema))
            checksum.add(payload)
            return checksum.value
        }
    }
#endif
