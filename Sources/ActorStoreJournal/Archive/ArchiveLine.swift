#if Journal
    import Foundation

    /// A line of an archive, in JSON.
    struct ArchiveLine: Codable {
        enum Kind: String, Codable {
            /// The first line, whose schema is the version of the format of archives.
            case journal
            case snapshot
            case action
            /// The last line, which tells a whole archive from one that was cut off.
            case end
        }

        static let format = 1

        var kind: Kind
        var revision: UInt64
        var schema: Int
        /// The payload, if it is text.
        var text: String?
        /// The payload otherwise.
        var data: Data?
        var checksum: UInt32?

        init(_ kind: Kind, revision: UInt64 = 0, schema: Int = 0) {
            self.kind = kind
            self.revision = revision
            self.schema = schema
        }

        init(_ kind: Kind, _ record: JournalRecord) {
            self.init(kind, revision: record.revision, schema: record.schema)
            text = String(validating: record.payload, as: UTF8.self)
            if text == nil { data = record.payload }
            checksum = record.checksum
        }

        var record: JournalRecord {
            JournalRecord(
                revision: revision,
                schema: schema,
                payload: data ?? Data((text ?? "").utf8),
                checksum: checksum ?? 0
            )
        }
    }
#endif
